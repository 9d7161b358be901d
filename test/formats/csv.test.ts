import { expect, it } from 'vitest';
import { toCsv } from '../../src/formats/csv.ts';

it.each<[(string | number | undefined)[], string]>([
  [['a', 1, undefined, ''], 'a,1,,'],
  [['a,b', 'say "x"', 'two\nlines', ' '], '"a,b","say ""x""","two\nlines", '],
  [['=1+1', '@x', '-', '+1', -1], "'=1+1,'@x,'-,'+1,-1"],
  [['\t=1', '\r=1', 'a\rb'], `'\t=1,"'\r=1","a\rb"`],
])('%j is the row %j', (row, text) => {
  expect(toCsv([row])).toBe(`${text}\r\n`);
});
