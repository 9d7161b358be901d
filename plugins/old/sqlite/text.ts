/**
 * A text as a column of type ANY holds it. A string of JavaScript may hold half a character, which UTF-8 has no form for:
 * such a text is stored as a BLOB, so that it comes back as it was.
 */
export const toColumn = (text: string): string | Buffer => (text.isWellFormed() ? text : Buffer.from(text, 'utf16le'));

export const fromColumn = (column: string | Buffer): string =>
  typeof column === 'string' ? column : column.toString('utf16le');
