import type { DirectoryMode } from '../options.ts';
import type { OwnAppPassword } from '../services/accounts/app-passwords.ts';
import type { OpenSession } from '../services/accounts/sessions.ts';
import { renderAppPasswords, renderCreated } from './app-passwords.ts';
import { describeApp } from './parts/app-name.ts';
import {
  type Problems,
  renderCheck,
  renderField,
  renderNewPassword,
  renderNotice,
  renderProblem,
  renderToken,
} from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { attributes, type Markup, markup } from './parts/markup.ts';
import { renderDate } from './parts/time.ts';

/** Privacy settings of an account. */
export interface PrivacySettings {
  publicProfile: boolean;
  publicSubscriptions: boolean;
  storeUserAgent: boolean;
}

interface SettingsPage {
  base: string;
  directory: DirectoryMode;
  csrf: string;
  name: string;
  email: string;
  privacy: PrivacySettings;
  sessions: readonly OpenSession[];
  appPasswords: readonly OwnAppPassword[];
  /** What was typed in the forms for an app password and for deleting the account. */
  entered: { label?: string | undefined; name?: string | undefined };
  /** An app password that has just been created. */
  created?: string | undefined;
  /** Id of the current session. */
  current: string | undefined;
  notice?: string | undefined;
  problems?: Problems;
}

/** The settings page of an account. */
export const renderSettings = (page: SettingsPage): Page => ({
  title: 'Settings',
  isNarrow: true,
  content: markup`<h1>Settings</h1>
${renderNotice(page.notice)}${page.created && renderCreated(page.created)}${renderProblem(page.problems?.form)}
${renderPrivacy(page)}
${renderEmail(page)}
${renderPassword(page)}
${renderAppPasswords({ ...page, label: page.entered.label })}
${renderSessions(page)}
${renderData(page)}`,
});

function renderPrivacy({ base, csrf, directory, name, privacy }: SettingsPage): Markup {
  const who = directory === 'members' ? 'Anyone who is signed in' : 'Anyone';
  return markup`<h2 id="privacy">Privacy</h2>
${directory === 'off' ? markup`<p class="soft">At present this server shows neither profiles nor a directory, whatever you choose here.</p>` : ''}
<form method="post" action="${base}/settings/privacy">${renderToken(csrf)}
${renderCheck({ name: 'publicProfile', label: `${who} can see my profile page.`, isOn: privacy.publicProfile, hint: `${base}/user/${name}, with the lists that you share.` })}
${renderCheck({ name: 'publicSubscriptions', label: `${who} can see what I subscribe to.`, isOn: privacy.publicSubscriptions, hint: 'On your profile page, and in the directory of this server, where your name is not shown. Private feeds are never shown.' })}
${renderCheck({ name: 'storeUserAgent', label: 'This server stores which app each of my devices uses.', isOn: privacy.storeUserAgent, hint: 'You see it on the pages Devices and Settings, and the administrator on the command line.' })}
<p class="actions"><button>Save privacy settings</button></p></form>`;
}

const renderEmail = ({ base, csrf, email, problems = {} }: SettingsPage): Markup => markup`<h2>E-mail address</h2>
<form method="post" action="${base}/settings/email">${renderToken(csrf)}
${renderField({ name: 'email', label: 'E-mail address', type: 'email', value: email, hint: 'Optional; it can also be used to sign in.', problem: problems.email, input: { autocomplete: 'email' } })}
<p class="actions"><button>Save e-mail address</button></p></form>`;

const renderPassword = ({ base, csrf, name, problems = {} }: SettingsPage): Markup => markup`<h2>Password</h2>
<p class="soft">A new password signs out all other browsers and apps, except those with an app password.</p>
<form method="post" action="${base}/settings/password">${renderToken(csrf)}<input type="text" name="username" value="${name}" autocomplete="username" hidden>
${renderField({ name: 'current', label: 'Current password', type: 'password', problem: problems.current, input: { required: true, autocomplete: 'current-password' } })}
${renderNewPassword(problems, 'New password')}
<p class="actions"><button>Change password</button></p></form>`;

function renderSessions({ base, csrf, sessions, current }: SettingsPage): Markup {
  const rows = sessions.map(({ id, app, usedAt }) => {
    const name = app ? describeApp(app) : 'Unknown app';
    const end =
      id === current
        ? 'This browser'
        : markup`<form method="post" action="${base}/settings/sessions">${renderToken(csrf)}<button class="link"${attributes({ name: 'id', value: id, 'aria-label': `Sign out ${name}` })}>Sign out</button></form>`;
    return markup`<tr><td>${name}</td><td>${renderDate(usedAt)}</td><td class="action">${end}</td></tr>\n`;
  });
  return markup`<h2 id="sessions">Signed in</h2>
<div class="table" tabindex="0" role="region" aria-label="Sessions"><table><caption>Browsers and apps that are signed in</caption>
<thead><tr><th scope="col">App</th><th scope="col">Last used</th><th scope="col">Action</th></tr></thead>
<tbody>${rows}</tbody></table></div>
${sessions.length > 1 ? markup`<form method="post" action="${base}/settings/sessions">${renderToken(csrf)}<button class="plain" name="id" value="others">Sign out everywhere else</button></form>` : ''}`;
}

const renderData = ({
  base,
  csrf,
  name,
  entered,
  problems = {},
}: SettingsPage): Markup => markup`<h2 id="data">Your data</h2>
<p>A backup contains everything in your account. It can be imported on any podsync server. Keep it safe: it contains the hash of your password.</p>
<p class="actions"><a class="button plain" href="${base}/settings/backup" download>Download all my data</a></p>
<h2 id="delete">Delete account</h2>
<p>This deletes your account with all subscriptions, history and lists. It cannot be undone.</p>
<form method="post" action="${base}/settings/delete">${renderToken(csrf)}
${renderField({ name: 'name', label: 'User name', value: entered.name, hint: `Type ${name} to confirm.`, problem: problems.name, input: { required: true, autocomplete: 'off', autocapitalize: 'none' } })}
${renderField({ name: 'confirm', label: 'Password', type: 'password', problem: problems.confirm, input: { required: true, autocomplete: 'current-password' } })}
<p class="actions"><button class="danger">Delete my account</button></p></form>`;
