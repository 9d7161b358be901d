/**
 * Compares two texts in code-point order, the order of UTF-8. `<` and `sort()` go by the units of UTF-16, and put
 * characters above U+FFFF before the last ones below it.
 */
export function compareText(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  if (same >= a.length || same >= b.length) return a.length - b.length;
  return rankOf(a.charCodeAt(same)) - rankOf(b.charCodeAt(same));
}

/** Halves of characters above U+FFFF (U+D800 to U+DFFF) come after all others. */
const rankOf = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
