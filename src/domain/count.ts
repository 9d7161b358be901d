/** A number with its noun in singular or plural: `1 feed`, `2 feeds`. */
export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Whether a text has more than `max` characters, counted as code points. Huge texts are not scanned. */
export const isLonger = (text: string, max: number): boolean =>
  text.length > 2 * max || (text.length > max && [...text].length > max);
