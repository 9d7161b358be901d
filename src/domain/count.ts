/** A number of things in words: `1 feed`, `2 feeds`. */
export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Whether a text has more than `most` characters, each code point counted once. A huge one is not looked through. */
export const isLonger = (text: string, most: number): boolean =>
  text.length > 2 * most || (text.length > most && [...text].length > most);
