import { plainLine, plainText, textOf } from './text.ts';
import type { XmlElement } from './xml.ts';

/** The elements of a channel, an item or an entry. */
export type Fields = readonly XmlElement[];

/** The elements with these names, in the order of `names`. */
export function findElements(fields: Fields, ...names: readonly string[]): XmlElement[] {
  const found: XmlElement[] = [];
  // Loops, as this runs for dozens of names in each episode.
  for (const name of names) for (const field of fields) if (field.name === name) found.push(field);
  return found;
}

/** Texts of the elements, in the order of `names`, without empty ones. References are decoded, inner markup is kept. */
export const texts = (fields: Fields, ...names: readonly string[]): string[] =>
  findElements(fields, ...names)
    .map((field) => textOf(field.content))
    .filter((text) => text !== '');

export const MAX_TITLE = 500;
export const MAX_DESCRIPTION = 10_000;

/** The first non-empty element of `names`, as plain text in one line. */
export const readTitle = (fields: Fields, ...names: readonly string[]): string =>
  firstNonEmpty(findElements(fields, ...names), ({ content }) => plainLine(content, MAX_TITLE)) ?? '';

/** The first non-empty element of `names`, as plain text. */
export const readDescription = (fields: Fields, ...names: readonly string[]): string =>
  firstNonEmpty(findElements(fields, ...names), ({ content }) => plainText(content, MAX_DESCRIPTION)) ?? '';

/** The first non-empty result. */
export function firstNonEmpty<Item>(
  items: readonly Item[],
  toText: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const text = toText(item);
    if (text) return text;
  }
  return undefined;
}

/** Links to the page of an element: those without `rel`, or with `alternate`. HTML comes before other types. */
export const pageLinks = (fields: Fields): XmlElement[] =>
  findElements(fields, 'link', 'atom:link')
    .filter(({ attributes }) => (attributes['rel'] ?? 'alternate') === 'alternate')
    .toSorted((a, b) => Number(isOther(a)) - Number(isOther(b)));

const isOther = ({ attributes: { type } }: XmlElement): boolean => type !== undefined && !/html/i.test(type);
