/** The most words that a misspelling is taken to mean. */
export const MOST_MEANT = 50;

/** A word cut in two: of each word that is near, one half is there as it is, or two letters are swapped where it is cut. */
export function cut(word: string): { first: string; second: string; swapped: string } {
  const letters = [...word];
  const half = Math.floor(letters.length / 2);
  const [first, second] = [letters.slice(0, half), letters.slice(half)];
  const swapped = [...first.slice(0, -1), second[0], first.at(-1), ...second.slice(1)];
  return { first: first.join(''), second: second.join(''), swapped: swapped.join('') };
}
