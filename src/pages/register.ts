import { MIN_PASSWORD } from '../domain/password.ts';
import { renderPage } from './layout.ts';
import { type Markup, markup } from './markup.ts';
import { renderAppSettings } from './parts.ts';

export interface RegisterForm {
  /** Sent back with the form. */
  csrf: string;
  token: string | undefined;
  /** What was entered before, and what was wrong with it. */
  name?: string;
  email?: string;
  /** Whether the box is ticked. */
  syncDevices?: boolean;
  isPublic?: boolean;
  problem?: string;
}

const render = (content: Markup): string => renderPage('Register', markup`<h1>Make an account</h1>\n${content}`);

const renderBox = (name: string, isTicked: boolean, label: string, note: string): Markup =>
  markup`<label class="box"><input name="${name}" type="checkbox" value="yes"${isTicked ? markup` checked` : undefined}> ${label} <span class="soft">${note}</span></label>`;

/** The boxes are as suggested to a person who has not chosen yet: one list on all devices, and private. */
export const renderRegisterForm = ({
  csrf,
  token,
  name = '',
  email = '',
  syncDevices = true,
  isPublic = false,
  problem,
}: RegisterForm): string =>
  render(markup`${problem && markup`<p class="problem" role="alert">That did not work: ${problem}.</p>`}
<form method="post">
<input type="hidden" name="csrf" value="${csrf}">
${token && markup`<input type="hidden" name="token" value="${token}">`}
<label>User name <input name="name" value="${name}" required autofocus autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="150"></label>
<label>E-mail address <span class="soft">(optional; you can log in with it, too)</span> <input name="email" type="email" value="${email}" autocomplete="email"></label>
<label>Password <span class="soft">(at least ${MIN_PASSWORD} characters)</span> <input name="password" type="password" required minlength="${MIN_PASSWORD}" autocomplete="new-password"></label>
<label>Password, once more <input name="again" type="password" required autocomplete="new-password"></label>
${renderBox('sync_devices', syncDevices, 'Keep one subscription list on all devices', 'Otherwise each device has a list of its own.')}
${renderBox('public', isPublic, 'Show my subscriptions publicly', 'On a page with your user name, and in the charts of this server.')}
<p class="do"><button>Make the account</button></p>
</form>`);

export const renderRegistered = (name: string, server: string): string =>
  render(markup`<p>Welcome, ${name}. Your account is there.</p>
${renderAppSettings({ server, name: markup`<code>${name}</code>`, password: 'the one you have just chosen' })}`);

export const renderRegistrationClosed = (): string =>
  render(markup`<p>Registration is closed here. Whoever runs this server can make an account for you.</p>`);
