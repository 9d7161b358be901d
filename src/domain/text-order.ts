/**
 * Compares two texts by code points, which is the order of UTF-8. `<` and `sort()` compare UTF-16 code units, which
 * places characters above U+FFFF before some of those below.
 */
export function compareText(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  if (same >= a.length || same >= b.length) return a.length - b.length;
  return rankOf(a.charCodeAt(same)) - rankOf(b.charCodeAt(same));
}

/** Surrogates (U+D800 to U+DFFF), which encode characters above U+FFFF, come last. */
const rankOf = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
