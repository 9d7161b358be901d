import { html, raw } from 'h3';

/** Escaped HTML that can be inserted into other HTML. */
export type Markup = ReturnType<typeof raw>;

/** A template that escapes its values, except for markup and arrays of markup. */
export const markup = (strings: TemplateStringsArray, ...values: readonly (Value | readonly Markup[])[]): Markup =>
  raw(textOf(html(strings, ...values.map((value) => (Array.isArray(value) ? joined(value as Markup[]) : value)))));

type Value = Markup | string | number | undefined;

/** Attributes of an element, each after a space. `true` means an attribute without a value; omits undefined and false. */
export const attributes = (values: Readonly<Record<string, string | number | boolean | undefined>>): Markup =>
  joined(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === undefined || value === false) return [];
      return value === true ? raw(` ${name}`) : markup` ${raw(name)}="${value}"`;
    }),
  );

/** The text of a complete page. */
export const toHtml = (page: Markup): string => textOf(html(page));

const joined = (parts: readonly Markup[]): Markup => raw(parts.map(toHtml).join(''));
const textOf = ({ body }: { body?: unknown }): string => body as string;
