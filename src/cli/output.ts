import { styleText } from 'node:util';
import { createConsola } from 'consola';
import stringWidth from 'string-width';
import type { Log } from '../storage/stores.ts';

/** Messages to people, on stderr, as stdout is for data. A server makes a log of them: see `openServerLog`. */
export const messages = createConsola({
  level: 3,
  fancy: Boolean(process.stderr.isTTY),
  formatOptions: { date: false },
  stdout: process.stderr,
  stderr: process.stderr,
});

/** The log of podsync while it runs in a command. */
export const log: Log = (level, message) => messages[level](message);

/** Prints the result of a command to stdout: one line of JSON for scripts, otherwise text. */
export function printResult(result: unknown, json: boolean | undefined, toText: () => string): void {
  process.stdout.write(json ? `${toJson(result)}\n` : toText());
}

/** Escapes the control characters that JSON may contain as they are: terminals interpret them. */
const toJson = (value: unknown): string =>
  JSON.stringify(value).replace(/\p{Cc}/gu, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);

/** Prints a password or a link, which cannot be shown again. If that fails, rejects with `what` was lost, and `advice`. */
export async function printSecret(secret: string, what: string, advice: string): Promise<void> {
  const failure = await new Promise((resolve) => process.stdout.write(`${secret}\n`, resolve));
  if (failure) throw new Error(`${what} could not be printed; ${advice}`);
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';
type Value = string | number | null;
/** A value, optionally with its style on a terminal. Null is shown as a dash. */
export type Cell = Value | readonly [value: Value, style: Style];

/** Rows in columns as wide as their widest cell, below a header if there is one. */
export function toTable(rows: readonly (readonly Cell[])[], header?: readonly string[]): string {
  const head = header?.map((title): Cell => [title, 'bold']);
  const cells = (head ? [head, ...rows] : rows).map((row) => row.map(toText));
  const widths = cells.reduce<number[]>(
    (widest, row) => row.map(({ text }, at) => Math.max(stringWidth(text), widest[at] ?? 0)),
    [],
  );
  return cells
    .map((row) => {
      const columns = row.map(({ text, style }, at) => {
        const padding = at < row.length - 1 ? ' '.repeat(widths[at]! - stringWidth(text)) : '';
        return paint(text, style) + padding;
      });
      return `${columns.join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** Names and their values, one per line. */
export const toFacts = (facts: readonly (readonly [name: string, value: Cell])[]): string =>
  toTable(facts.map(([name, value]) => [[name, 'dim'], value]));

/** A list of the rewritten addresses, and of what was refused. */
export const toChanges = (
  rewritten: readonly { from: string; to: string }[],
  refused: readonly { what: string; reason: string }[],
): string =>
  toTable([
    ...rewritten.map(({ from, to }): Cell[] => [['rewritten', 'yellow'], `${from} -> ${to}`]),
    ...refused.map(({ what, reason }): Cell[] => [['refused', 'red'], what === '' ? reason : `${what}: ${reason}`]),
  ]);

function toText(cell: Cell): { text: string; style?: Style } {
  const [value, style] = isStyled(cell) ? cell : [cell];
  // Captions and titles by other people must not control the terminal.
  const text = String(value ?? '-').replace(/\p{Cc}/gu, '\ufffd');
  return { text, ...(style && { style }) };
}

const isStyled = (cell: Cell): cell is Exclude<Cell, Value> => Array.isArray(cell);

/** Styled if stdout is a terminal with colours and NO_COLOR is not set. */
const paint = (text: string, style: Style | undefined): string =>
  style && process.stdout.isTTY && process.stdout.hasColors() ? styleText(style, text) : text;

/** The day of a time as the operator's routes give it. */
export const toDay = (time: string | null): string | null => time && time.slice(0, 10);

/** A number of bytes with a suitable unit. */
export const formatSize = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
