import { type Problems, renderField, renderProblem, renderToken } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { registerPage } from './parts/links.ts';
import { markup } from './parts/markup.ts';
import { renderNoAccount } from './parts/no-account.ts';

interface LoginForm {
  base: string;
  csrf: string;
  /** Path below `base` to continue with after the login. */
  next: string;
  name?: string;
  problems?: Problems;
  /** Whether anybody may create an account. */
  isOpen: boolean;
  isNew: boolean;
}

export const renderLogin = ({ base, csrf, next, name, problems = {}, isOpen, isNew }: LoginForm): Page => ({
  title: 'Sign in',
  isNarrow: true,
  content: markup`<h1>Sign in</h1>
${renderProblem(problems.form)}
<form method="post" action="${base}/login">
${renderToken(csrf)}<input type="hidden" name="next" value="${next}">
${renderField({ name: 'name', label: 'User name or e-mail address', value: name, problem: problems.name, input: { required: true, autofocus: !name, autocomplete: 'username', autocapitalize: 'none', spellcheck: 'false' } })}
${renderField({ name: 'password', label: 'Password', type: 'password', problem: problems.password, input: { required: true, autofocus: Boolean(name), autocomplete: 'current-password' } })}
<p class="actions"><button>Sign in</button></p>
</form>
<p class="soft">${isOpen ? markup`No account yet? <a href="${registerPage(base, next)}">Create one</a>.` : renderNoAccount(isNew)}</p>
${isNew ? '' : markup`<p class="soft">Forgot your password? The administrator of this server can send you a link to choose a new one.</p>`}`,
});
