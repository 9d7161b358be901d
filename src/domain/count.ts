/** A number of things in words: `1 feed`, `2 feeds`. */
export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
