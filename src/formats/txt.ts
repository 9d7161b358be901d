/** URLs of a plain text list, one in each line, without leading spaces and blank lines. Accepts any text. */
export const readTxt = (text: string): string[] => text.match(/\S[^\r\n]*/g) ?? [];

/** A plain text list. Each URL is followed by a line break, so an empty list is an empty text. */
export const writeTxt = (urls: readonly string[]): string => urls.map((url) => `${url}\n`).join('');
