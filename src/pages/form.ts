import { attributes, type Markup, markup } from './markup.ts';

/** What is wrong with a form: by the name of the field, or `form` for the form as a whole. Messages as the interface has them. */
export type Problems = Readonly<Record<string, string | undefined>>;

interface Field {
  name: string;
  label: string;
  type?: 'text' | 'search' | 'email' | 'password' | 'url' | 'date' | 'file';
  value?: string | undefined;
  hint?: string | undefined;
  problem?: string | undefined;
  /** More attributes of the input, such as `required` or `autocomplete`. */
  input?: Readonly<Record<string, string | number | boolean>>;
}

/** A text field with its label, its hint, and what is wrong with it. A password is never sent back. */
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
  });
  return markup`<div class="field"><label for="${name}">${label}</label>
${hint && markup`<p class="hint" id="${name}-hint">${hint}</p>`}
<input${attrs}>
${problem && markup`<p class="error" id="${name}-error">${toSentence(problem)}</p>`}</div>`;
}

interface Choice {
  name: string;
  /** Where a page has several of that name. */
  id?: string;
  label: string;
  /** Value and text of each. */
  options: readonly (readonly [value: string, text: string])[];
  value: string;
  problem?: string | undefined;
}

/** A list to choose from, with its label. A value that is not among the options is listed, too. */
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
  hint?: string;
}

/** A check box with its label. Its field is sent, as `on`, only where it is ticked. */
export const renderCheck = ({ name, label, isOn, hint }: Check): Markup =>
  markup`<label class="check"><input type="checkbox"${attributes({ name, checked: isOn })}><span>${label}${hint && markup`<br><span class="hint">${hint}</span>`}</span></label>`;

/** The hidden field that every form that changes something sends back. */
export const renderToken = (csrf: string): Markup => markup`<input type="hidden" name="csrf" value="${csrf}">`;

/** What is wrong with the form as a whole. */
export const renderProblem = (problem: string | undefined): Markup | undefined =>
  problem === undefined ? undefined : markup`<p class="problem" role="alert">${toSentence(problem)}</p>`;

/** What has just been done. */
export const renderNotice = (notice: Markup | string | undefined): Markup | undefined =>
  notice === undefined ? undefined : markup`<div class="notice" role="status">${notice}</div>`;

/** Messages of the interface begin in lower case and have no full stop, as they also stand within sentences. */
export function toSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
