/**
 * Rows as CSV (RFC 4180). A text that a spreadsheet would interpret as a formula gets a leading `'`, as titles come
 * from untrusted feeds.
 */
export const toCsv = (rows: readonly (readonly (string | number | undefined)[])[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');

function toCell(value: string | number | undefined): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
