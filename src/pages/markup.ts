import { html, raw } from 'h3';

/** HTML that is safe to put into more HTML. */
export type Markup = ReturnType<typeof raw>;

/** A template whose values are escaped, but for markup and arrays of it. */
export const markup = (strings: TemplateStringsArray, ...values: readonly (Value | readonly Markup[])[]): Markup =>
  raw(textOf(html(strings, ...values.map((value) => (Array.isArray(value) ? joined(value as Markup[]) : value)))));

type Value = Markup | string | number | undefined;

/** Attributes of an element, each after a blank. `true` is one without a value; what is undefined or false is left out. */
export const attributes = (values: Readonly<Record<string, string | number | boolean | undefined>>): Markup =>
  joined(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === undefined || value === false) return [];
      return value === true ? raw(` ${name}`) : markup` ${raw(name)}="${value}"`;
    }),
  );

/** The text of a whole page. */
export const toHtml = (page: Markup): string => textOf(html(page));

const joined = (parts: readonly Markup[]): Markup => raw(parts.map(toHtml).join(''));
const textOf = ({ body }: { body?: unknown }): string => body as string;
