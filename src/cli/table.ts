/** Without control characters: those of a caption or a title would reach the terminal. */
const toCell = (value: string | number | null): string => String(value ?? '-').replace(/\p{Cc}/gu, '\ufffd');

/** Rows as lines, each column as wide as its widest cell; what is null is a dash. */
export function toTable(rows: readonly (readonly (string | number | null)[])[]): string {
  const cells = rows.map((row) => row.map(toCell));
  const widths = cells.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(cell.length, most[at] ?? 0)), []);
  const lines = cells.map((row) => row.map((cell, at) => cell.padEnd(widths[at]!)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
