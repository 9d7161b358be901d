import { plainLine, plainText, textOf } from './text.ts';
import type { XmlElement } from './xml.ts';

/** The elements of a channel, an item or an entry. */
export type Fields = readonly XmlElement[];

export const named = (fields: Fields, ...names: readonly string[]): XmlElement[] =>
  names.flatMap((name) => fields.filter((field) => field.name === name));

/** Their texts, in the order of `names`, without the empty ones. References decoded, inner markup left. */
export const texts = (fields: Fields, ...names: readonly string[]): string[] =>
  named(fields, ...names)
    .map((field) => textOf(field.content))
    .filter((text) => text !== '');

export const MAX_TITLE = 500;
export const MAX_DESCRIPTION = 10_000;

/** The first of `names` that says anything, as plain text in one line. */
export const line = (fields: Fields, ...names: readonly string[]): string =>
  first(named(fields, ...names), ({ content }) => plainLine(content, MAX_TITLE)) ?? '';

/** The first of `names` that says anything, as plain text. */
export const prose = (fields: Fields, ...names: readonly string[]): string =>
  first(named(fields, ...names), ({ content }) => plainText(content, MAX_DESCRIPTION)) ?? '';

/** The first result that is not empty. */
export function first<Item>(items: readonly Item[], toText: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const text = toText(item);
    if (text) return text;
  }
  return undefined;
}

/** Links of Atom by their `rel` (`alternate` where there is none), pages before other types. */
export const atomLinks = (fields: Fields, rel: string): XmlElement[] =>
  named(fields, 'link', 'atom:link')
    .filter(({ attributes }) => attributes['href'] !== undefined && (attributes['rel'] ?? 'alternate') === rel)
    .toSorted((a, b) => Number(isOther(a)) - Number(isOther(b)));

const isOther = ({ attributes: { type } }: XmlElement): boolean => type !== undefined && !/html/i.test(type);
