import { MAX_CAPTION } from '../domain/device.ts';
import { toAppLabel } from '../services/sync/app-name.ts';
import { type Problems, renderField, renderProblem, renderToken } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { markup } from './parts/markup.ts';

export interface AuthorizeForm {
  base: string;
  csrf: string;
  flow: string;
  /** Name of the signed-in user. */
  name: string;
  /** `User-Agent` of the app; empty if it has none. */
  app: string;
  label?: string | undefined;
  problems?: Problems;
}

/** Asks the signed-in user to grant an app access to the account. */
export const renderAuthorize = ({ base, csrf, flow, name, app, label, problems = {} }: AuthorizeForm): Page => ({
  title: 'Connect an app',
  isNarrow: true,
  content: markup`<h1>Connect an app</h1>
${renderProblem(problems.form)}
<p>${app ? markup`The app <strong>${app}</strong>` : 'An app without a name'} asks for access to the account <strong>${name}</strong>. It will be able to see and change subscriptions, history, devices, lists and settings, including what others see. Continue only if you have just started this in the app.</p>
<form method="post" action="${base}/authorize">${renderToken(csrf)}<input type="hidden" name="flow" value="${flow}">
${renderField({ name: 'label', label: 'Name of this app', value: label ?? toAppLabel(app), hint: 'You can revoke its access under this name in Settings.', problem: problems.label, input: { required: true, maxlength: MAX_CAPTION, autocomplete: 'off' } })}
<p class="actions"><button>Grant access</button><a class="button plain" href="${base}/">Cancel</a></p></form>`,
});

export const renderAuthorized = (base: string, label: string): Page => ({
  title: 'App connected',
  isNarrow: true,
  content: markup`<h1>App connected</h1>
<p class="notice" role="status">${label} has access now. Go back to the app; you can close this page.</p>
<p><a href="${base}/settings#app-passwords">Apps with access</a></p>`,
});
