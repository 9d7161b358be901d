import type { Url } from './types.ts';

/** Scripts that are written without blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Accents of Latin, Greek and Cyrillic letters; marks of other scripts are letters of their own. */
const ACCENTS = /[\u0300-\u036f]/g;

const ASCII = /^[\0-\x7f]*$/;

/** Letters that are written in two ways: at the end of a Greek word, and in German capitals. */
const SAME: Readonly<Record<string, string>> = { ς: 'σ', ß: 'ss' };

/** How a word is compared: without regard to letter case, width and accents. Most texts need only the first. */
function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFKD').replace(ACCENTS, '').toLowerCase().normalize('NFC');
  return plain.replace(/[ςß]/g, (letter) => SAME[letter]!);
}

/** What is searched of a URL: its scheme says nothing of a podcast, and credentials are nobody else's business. */
export const toSearched = (url: Url): string => url.replace(/^\s*https?:\/\/(?:[^/?#]*@)?/i, '');

/** The words of a text. Where words are not told apart by blanks, every two characters in a row stand for one. */
export const toTerms = (text: string): string[] => split(text, pairs);

/** Further terms are not asked for, which bounds the time that a search takes. */
const MOST_ASKED = 20;

/**
 * The terms to ask for, of a URL those that are searched; the first 20 of them and each once. The last character of a
 * row, which stands alone in `toTerms`, is in the pair before.
 */
export function toQueryTerms(text: string): string[] {
  const terms = split(toSearched(text), (row) => {
    const all = pairs(row);
    return all.length > 1 ? all.slice(0, -1) : all;
  });
  return [...new Set(terms)].slice(0, MOST_ASKED);
}

/** Whether a term is a pair of characters rather than a word. */
export const isPair = (term: string): boolean => term.search(UNSPACED) !== -1;

/** Whether a term may be taken for another one. In short words one letter is too much of a difference. */
export const mayBeMisspelt = (term: string): boolean => term.length >= 3 && !isPair(term);

/**
 * Whether two words differ by one misspelling: a letter added, left out or replaced, or two neighbours swapped. As texts,
 * or as lists of letters: a letter beyond U+FFFF is two places of a text.
 */
export function areNear(a: ArrayLike<string>, b: ArrayLike<string>): boolean {
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

function split(text: string, splitRow: (row: string) => string[]): string[] {
  const folded = fold(text);
  const words = folded.match(WORD) ?? [];
  if (folded.search(UNSPACED) === -1) return words;
  return words.flatMap((word) => [
    ...word.split(UNSPACED).filter((part) => part !== ''),
    ...(word.match(UNSPACED) ?? []).flatMap(splitRow),
  ]);
}

/** Each character with its next one. The last one stands alone, so that every character begins a term. */
function pairs(row: string): string[] {
  const characters = [...row];
  return characters.map((character, at) => character + (characters[at + 1] ?? ''));
}
