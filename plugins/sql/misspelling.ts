/** A longer word may have a letter wrong. */
export const EXACT_UP_TO = 2;
/** At most so many of the words that a misspelling may mean are asked for. */
export const MOST_MEANT = 50;

/** Whether one letter more, less or other makes them the same. */
export function isNear(a: readonly string[], b: readonly string[]): boolean {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  const rest = (letters: readonly string[], skipped: number): string => letters.slice(same + skipped).join('');
  return rest(a, 1) === rest(b, 1) || rest(a, 1) === rest(b, 0) || rest(a, 0) === rest(b, 1);
}
