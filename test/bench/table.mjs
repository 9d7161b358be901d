/**
 * @typedef {object} Suite Rows that share a setup.
 * @property {string} name
 * @property {boolean} [isLong] Takes many minutes: measured only if it is named.
 * @property {() => string | undefined} [whatIsMissing] Programs that it needs; it is skipped if there are any.
 * @property {() => Promise<any>} open Prepares the stage that rows are measured on.
 * @property {(stage: any) => Promise<unknown>} close
 * @property {Row[]} rows
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {string} unit
 * @property {Bound} [bound]
 * @property {(stage: any) => Promise<{ value: number, note?: string }>} measure
 *
 * @typedef {['>=' | '<=' | '<', number]} Bound
 */

/** Whether a value meets its bound. */
export function meetsBound(value, [relation, limit]) {
  if (relation === '>=') return value >= limit;
  return relation === '<' ? value < limit : value <= limit;
}

const TITLES = ['', 'measured', 'bound', '', ''];
const TO_THE_RIGHT = new Set([1, 2]);

/** The results as a table of text. */
export function formatTable(results) {
  const cells = results.map(({ suite, name, value, unit, bound, verdict = '', note = '' }) => [
    `${suite}: ${name}`,
    `${formatNumber(value)} ${unit}`,
    bound ? bound.join(' ') : '',
    verdict,
    note,
  ]);
  const rows = [TITLES, ...cells];
  const widths = TITLES.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const pad = (cell, column) => cell[TO_THE_RIGHT.has(column) ? 'padStart' : 'padEnd'](widths[column]);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

/** Three significant digits, or all before the point. */
export const formatNumber = (value) =>
  value >= 100
    ? Math.round(value).toLocaleString('en')
    : value
        .toPrecision(3)
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '');
