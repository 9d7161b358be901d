/** Only a word of more letters than this may have one wrong. */
export const EXACT_UP_TO = 2;
/** The most words that a misspelling is taken to mean. */
export const MOST_MEANT = 50;

/** Whether they differ by no more than a letter added, left out or replaced. */
export function isNear(a: readonly string[], b: readonly string[]): boolean {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  const rest = (letters: readonly string[], skipped: number): string => letters.slice(same + skipped).join('');
  return rest(a, 1) === rest(b, 1) || rest(a, 1) === rest(b, 0) || rest(a, 0) === rest(b, 1);
}
