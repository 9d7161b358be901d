/** URLs of a plain list, one a line, without leading blanks and blank lines. Nothing is refused. */
export const readTxt = (text: string): string[] => text.match(/\S[^\r\n]*/g) ?? [];

/** A plain list. Each URL ends its line, so an empty list is an empty text. */
export const writeTxt = (urls: readonly string[]): string => urls.map((url) => `${url}\n`).join('');
