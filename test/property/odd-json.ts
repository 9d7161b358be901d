import fc from 'fast-check';
import { text } from './text.ts';

/** JSON that `JSON.stringify` does not write. */
const RAW = [
  '1e999',
  '-0.0',
  '1'.repeat(5000),
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"a":1,"a":2}',
  '{"toJSON":1,"then":1,"length":-1}',
  'tru',
  ',',
  '[1,]',
];

/** A placeholder for an entry of RAW, until `writeJson` replaces it. */
const raw = fc.nat(RAW.length - 1).map((index) => `\u{e000}${index}\u{e001}`);

export const writeJson = (value: unknown): string =>
  JSON.stringify(value).replace(/"\u{e000}(\d+)\u{e001}"/gu, (_, index: string) => RAW[Number(index)]!);

export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, [], {}),
  text,
  raw,
  fc.jsonValue(),
);

/** The value with one of its parts, or all of it, replaced by `other`. */
export function corrupt(value: unknown, position: number, other: unknown): unknown {
  if (typeof value !== 'object' || value === null) return other;
  const keys = Object.keys(value);
  const key = keys[position % (keys.length + 1)];
  if (key === undefined) return other;
  const part = corrupt((value as Record<string, unknown>)[key], Math.floor(position / (keys.length + 1)), other);
  return Array.isArray(value) ? value.with(Number(key), part) : { ...value, [key]: part };
}
