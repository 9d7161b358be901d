/** A number with its noun in singular or plural: `1 feed`, `2 feeds`. */
export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** A limit in bytes, in the largest unit that makes it a whole number: `16 MiB`, `64 KiB`, `1000 bytes`. */
export function formatLimit(bytes: number): string {
  if (bytes % 1024 ** 2 === 0) return `${bytes / 1024 ** 2} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

/** Whether a text has more than `max` characters, counted as code points. Huge texts are not scanned. */
export const isLonger = (text: string, max: number): boolean =>
  text.length > 2 * max || (text.length > max && [...text].length > max);
