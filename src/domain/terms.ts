import type { Url } from './types.ts';

/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Accents of Latin, Greek and Cyrillic letters; marks of other scripts are letters of their own. */
const ACCENTS = /[\u0300-\u036f]/g;

const ASCII = /^[\0-\x7f]*$/;

/** What people also write for letters that are not a letter with an accent. */
const EQUIVALENTS: Readonly<Record<string, string>> = {
  ς: 'σ',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
};

/** Normalizes a text for comparison: letter case, width and accents do not matter. For ASCII, only case does. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFKD').replace(ACCENTS, '').toLowerCase().normalize('NFC');
  return plain.replace(/[ςßæœøłđı]/g, (letter) => EQUIVALENTS[letter]!);
}

/** The searchable part of a URL: without its scheme, which says nothing about a podcast, and its credentials. */
export const toSearchableUrl = (url: Url): string => url.replace(/^\s*https?:\/\/(?:[^/?#]*@)?/i, '');

/** The words of a text. In scripts without spaces between words, each pair of adjacent characters is a term. */
export const toTerms = (text: string): string[] => split(text, pairs);

/** Further terms are ignored, which limits the time of a search. */
const MAX_QUERY_TERMS = 20;

/**
 * The terms of a query: the first 20 distinct ones. For a URL, those of its searchable part. The last character of a
 * sequence, which is a term of its own in `toTerms`, is already in the pair before.
 */
export function toQueryTerms(text: string): string[] {
  const terms = split(toSearchableUrl(text), (sequence) => {
    const all = pairs(sequence);
    return all.length > 1 ? all.slice(0, -1) : all;
  });
  return [...new Set(terms)].slice(0, MAX_QUERY_TERMS);
}

/** Whether a term is a pair of characters rather than a word. */
const isPair = (term: string): boolean => term.search(UNSPACED) !== -1;

/** Whether a term may match with one misspelling. In short words, one letter makes too much of a difference. */
export const mayBeMisspelt = (term: string): boolean => term.length >= 3 && !isPair(term);

/**
 * Whether two words are equal or differ by one misspelling: a letter added, removed or replaced, or two adjacent
 * letters swapped. Takes strings or arrays of letters: in a string, a letter beyond U+FFFF counts as two.
 */
export function isWithinOneEdit(a: ArrayLike<string>, b: ArrayLike<string>): boolean {
  const shorter = Math.min(a.length, b.length);
  if (Math.max(a.length, b.length) > shorter + 1) return false;
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const differing = shorter - start - end;
  if (differing < 2) return differing === 0 || a.length === b.length;
  return differing === 2 && a.length === b.length && a[start] === b[start + 1] && a[start + 1] === b[start];
}

function split(text: string, splitUnspaced: (sequence: string) => string[]): string[] {
  const folded = foldText(text);
  const words = folded.match(WORD) ?? [];
  if (folded.search(UNSPACED) === -1) return words;
  return words.flatMap((word) => [
    ...word.split(UNSPACED).filter((part) => part !== ''),
    ...(word.match(UNSPACED) ?? []).flatMap(splitUnspaced),
  ]);
}

/** Each character with the next one. The last character is a term of its own, so that every character starts a term. */
function pairs(sequence: string): string[] {
  const characters = [...sequence];
  return characters.map((character, at) => character + (characters[at + 1] ?? ''));
}
