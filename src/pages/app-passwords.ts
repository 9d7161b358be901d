import { MAX_CAPTION } from '../domain/device.ts';
import type { OwnAppPassword } from '../services/accounts/app-passwords.ts';
import { describeApp } from './parts/app-name.ts';
import { renderFacts } from './parts/components.ts';
import { type Problems, renderField, renderToken } from './parts/form.ts';
import { type Markup, markup } from './parts/markup.ts';
import { renderDate, renderTime } from './parts/time.ts';

interface AppPasswordSection {
  base: string;
  csrf: string;
  appPasswords: readonly OwnAppPassword[];
  /** What was typed. */
  label?: string | undefined;
  problems?: Problems;
}

/** The app passwords of an account, as a section of the page Settings. */
export const renderAppPasswords = ({
  base,
  csrf,
  appPasswords,
  label,
  problems = {},
}: AppPasswordSection): Markup => markup`<h2 id="app-passwords">App passwords</h2>
<p class="soft">With an app password, one app can sync without your own password. It cannot sign in here, change your password or delete your account, and you can revoke it at any time.</p>
${appPasswords.length > 0 ? renderTable({ base, csrf, appPasswords }) : ''}
<form method="post" action="${base}/settings/app-passwords">${renderToken(csrf)}<input type="hidden" name="known" value="${writeKnown(appPasswords)}">
${renderField({ name: 'label', label: 'App', value: label, hint: 'For example: AntennaPod on my phone', problem: problems.label, input: { required: true, maxlength: MAX_CAPTION, autocomplete: 'off' } })}
<p class="actions"><button>Create app password</button></p></form>`;

/** The app passwords that a page shows, as a field of its form: a form that is sent twice does not create two. */
export const writeKnown = (appPasswords: readonly OwnAppPassword[]): string =>
  appPasswords.map(({ id }) => id).join(' ');

/** One that has just been created; it is never shown again. */
export const renderCreated = (secret: string): Markup =>
  markup`<div class="notice" role="status"><p>Enter this password in your app. It is not shown again.</p><p><code>${secret}</code></p></div>`;

function renderTable({ base, csrf, appPasswords }: AppPasswordSection): Markup {
  const rows = appPasswords.map(
    ({ id, label, app, createdAt, usedAt, address }) =>
      markup`<tr><td>${label}<br><span class="soft">${renderFacts([app && describeApp(app), markup`created ${renderDate(createdAt)}`])}</span></td>
<td>${usedAt === undefined ? 'Never' : renderTime(usedAt)}${address && markup`<br><span class="soft">from ${address}</span>`}</td>
<td class="action"><form method="post" action="${base}/settings/app-passwords/revoke">${renderToken(csrf)}<button class="link" name="id" value="${id}" aria-label="Revoke ${label}">Revoke</button></form></td></tr>
`,
  );
  return markup`<div class="table" tabindex="0" role="region" aria-label="App passwords"><table><caption>Apps with a password of their own</caption>
<thead><tr><th scope="col">App</th><th scope="col">Last used</th><th scope="col">Action</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}
