import { MIN_PASSWORD } from '../../domain/password.ts';
import { attributes, type Markup, markup } from './markup.ts';

/** Error messages of a form by field name, or `form` for the whole form; in the style of the interface's errors. */
export type Problems = Readonly<Record<string, string | undefined>>;

export const hasProblems = (problems: Problems = {}): boolean => Object.keys(problems).length > 0;

interface Field {
  name: string;
  label: string;
  type?: 'text' | 'search' | 'email' | 'password' | 'date' | 'file';
  value?: string | undefined;
  hint?: string | undefined;
  problem?: string | undefined;
  /** More attributes of the input, such as `required` or `autocomplete`. */
  input?: Readonly<Record<string, string | number | boolean>>;
}

/** A text field with its label, hint and error, which takes the focus. A password is never sent back. */
export function renderField({ name, label, type = 'text', value, hint, problem, input }: Field): Markup {
  const described = [hint && `${name}-hint`, problem && `${name}-error`].filter(Boolean).join(' ');
  const attrs = attributes({
    id: name,
    name,
    type,
    value: type === 'password' || type === 'file' ? undefined : value,
    'aria-describedby': described || undefined,
    'aria-invalid': problem === undefined ? undefined : 'true',
    ...input,
    autofocus: problem !== undefined || input?.autofocus,
  });
  return markup`<div class="field"><label for="${name}">${label}</label>
${hint && markup`<p class="hint" id="${name}-hint">${hint}</p>`}
<input${attrs}>
${problem && markup`<p class="error" id="${name}-error">${toSentence(problem)}</p>`}</div>`;
}

/** The fields `password` and `again`, for a new password. */
export const renderNewPassword = ({ password, again }: Problems, label = 'Password'): Markup =>
  markup`${renderField({ name: 'password', label, type: 'password', hint: `At least ${MIN_PASSWORD} characters.`, problem: password, input: { required: true, minlength: MIN_PASSWORD, autocomplete: 'new-password' } })}
${renderField({ name: 'again', label: `Repeat ${label.toLowerCase()}`, type: 'password', problem: again, input: { required: true, autocomplete: 'new-password' } })}`;

interface Choice {
  name: string;
  /** Needed if a page has several fields with this name. */
  id?: string;
  label: string;
  /** Value and text of each. */
  options: readonly (readonly [value: string, text: string])[];
  value: string;
  problem?: string | undefined;
}

/** A select field with its label. A value that is not among the options is added to them. */
export function renderSelect({ name, id = name, label, options, value, problem }: Choice): Markup {
  const all = options.some(([each]) => each === value) ? options : [...options, [value, value] as const];
  const items = all.map(
    ([each, text]) => markup`<option${attributes({ value: each, selected: each === value })}>${text}</option>`,
  );
  const described = attributes({
    'aria-describedby': problem && `${id}-error`,
    'aria-invalid': problem === undefined ? undefined : 'true',
  });
  return markup`<div class="field"><label for="${id}">${label}</label>
<select id="${id}" name="${name}"${described}>${items}</select>
${problem && markup`<p class="error" id="${id}-error">${toSentence(problem)}</p>`}</div>`;
}

interface Check {
  name: string;
  label: string;
  isOn: boolean;
  hint: string;
  isRequired?: boolean;
}

/** A check box with its label and hint. Its field is sent, as `on`, only if it is checked. */
export const renderCheck = ({ name, label, isOn, hint, isRequired = false }: Check): Markup =>
  markup`<div class="check"><input type="checkbox"${attributes({ id: name, name, checked: isOn, required: isRequired, 'aria-describedby': `${name}-hint` })}><div><label for="${name}">${label}</label><p class="hint" id="${name}-hint">${hint}</p></div></div>`;

/** The check box that confirms what cannot be undone; its form is refused without the field `confirm`. */
export const renderConfirmation = (label: string, hint: string): Markup =>
  renderCheck({ name: 'confirm', label, hint, isOn: false, isRequired: true });

/** The hidden CSRF token that every form with a change needs. */
export const renderToken = (csrf: string): Markup => markup`<input type="hidden" name="csrf" value="${csrf}">`;

/** The error of the whole form. */
export const renderProblem = (problem: string | undefined): Markup | undefined =>
  problem === undefined ? undefined : markup`<p class="problem" role="alert">${toSentence(problem)}</p>`;

/** A message about what was just done. */
export const renderNotice = (notice: Markup | string | undefined): Markup | undefined =>
  notice === undefined ? undefined : markup`<div class="notice" role="status">${notice}</div>`;

/** Errors of the interface start in lower case without a full stop, because they also appear within sentences. */
export function toSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
