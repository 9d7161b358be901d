import type { DirectoryMode } from '../options.ts';
import { type AccountChoices, renderAccountChoices } from './parts/account-choices.ts';
import { type Problems, renderField, renderNewPassword, renderProblem, renderToken } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { markup } from './parts/markup.ts';

interface PasswordLinkForm {
  csrf: string;
  directory: DirectoryMode;
  /** Undefined if the user chooses it, too. */
  name: string | undefined;
  /** Whether the account is new. */
  isInvited: boolean;
  /** What was entered before, and its errors. */
  chosen?: string | undefined;
  choices?: AccountChoices | undefined;
  problems?: Problems;
}

/**
 * The page of a one-time link: the user chooses a password, a name if the account has none yet, and after an invitation
 * what a new account asks.
 */
export const renderPasswordForm = ({
  csrf,
  directory,
  name,
  isInvited,
  chosen,
  choices,
  problems = {},
}: PasswordLinkForm): Page => ({
  title: 'Choose a password',
  isNarrow: true,
  content: markup`<h1>Choose a password</h1>
${name === undefined ? markup`<p>You have been invited to this server. Choose a user name and a password.</p>` : markup`<p>For the account <strong>${name}</strong>.</p>`}
${renderProblem(problems.form)}
<form method="post">${renderToken(csrf)}
${name === undefined ? renderField({ name: 'name', label: 'User name', value: chosen, problem: problems.name, input: { required: true, autofocus: chosen === undefined, autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false', maxlength: 150 } }) : markup`<input type="text" name="username" value="${name}" autocomplete="username" hidden>`}
${renderNewPassword(problems)}
${isInvited ? renderAccountChoices(directory, choices) : ''}
<p class="actions"><button>Save and sign in</button></p>
</form>`,
});
