import { areNear } from '../../../src/old-plugin.ts';

/** The most words that a misspelling is taken to mean. */
const MOST_MEANT = 50;

export const reverse = (word: string): string => [...word].toReversed().join('');

/** What a word that is near has: one half of this one at its place, and about its length. */
interface Surroundings {
  beginning: string;
  /** From its end. */
  ending: string;
  /** Letters. */
  shortest: number;
  longest: number;
}

export function surroundingsOf(word: string): Surroundings {
  const { length } = [...word];
  const [first, second] = halve(word);
  return { beginning: first.join(''), ending: reverse(second.join('')), shortest: length - 1, longest: length + 1 };
}

/** The words that this one may be a misspelling of, among those around it. */
export function meantBy(word: string, around: readonly string[]): string[] {
  const letters = [...word];
  const [first, second] = halve(word);
  // The one that has neither half at its place: two letters are swapped where it is cut in two.
  const swapped = [...first.slice(0, -1), second[0], first.at(-1), ...second.slice(1)].join('');
  return [...new Set([swapped, ...around.filter((each) => areNear([...each], letters))])].slice(0, MOST_MEANT);
}

function halve(word: string): [first: string[], second: string[]] {
  const letters = [...word];
  const half = Math.floor(letters.length / 2);
  return [letters.slice(0, half), letters.slice(half)];
}
