import type { DirectoryMode } from '../options.ts';
import { type AccountChoices, renderAccountChoices } from './parts/account-choices.ts';
import { type Problems, renderField, renderNewPassword, renderProblem, renderToken } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { type Markup, markup } from './parts/markup.ts';
import { renderNoAccount } from './parts/no-account.ts';

export interface RegisterForm {
  csrf: string;
  directory: DirectoryMode;
  /** Token of the link that opens registration once. */
  token: string | undefined;
  /** What was entered before, and its errors. */
  name?: string;
  email?: string;
  choices?: AccountChoices;
  problems?: Problems;
}

const render = (content: Markup): Page => ({
  title: 'Create an account',
  isNarrow: true,
  content: markup`<h1>Create an account</h1>\n${content}`,
});

export const renderRegisterForm = ({
  csrf,
  directory,
  token,
  name,
  email,
  choices,
  problems = {},
}: RegisterForm): Page =>
  render(markup`${renderProblem(problems.form)}
<form method="post">
${renderToken(csrf)}${token && markup`<input type="hidden" name="token" value="${token}">`}
${renderField({ name: 'name', label: 'User name', value: name, problem: problems.name, input: { required: true, autofocus: name === undefined, autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false', maxlength: 150 } })}
${renderField({ name: 'email', label: 'E-mail address', type: 'email', value: email, hint: 'Optional; it can also be used to sign in.', problem: problems.email, input: { autocomplete: 'email' } })}
${renderNewPassword(problems)}
${renderAccountChoices(directory, choices)}
<p class="actions"><button>Create account</button></p>
</form>`);

export const renderRegistrationClosed = (isNew: boolean): Page =>
  render(markup`<p>${isNew ? '' : 'Registration is closed here. '}${renderNoAccount(isNew)}</p>`);
