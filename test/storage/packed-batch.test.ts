import { expect, it } from 'vitest';
import { type Batch, packBatch, unpackBatch } from '../../src/plugin.ts';

const range = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

const LARGE: [what: string, batch: Batch][] = [
  [
    'many keys',
    {
      check: range(600, (n): [string, number] => [`checked-${n}`, n]),
      set: range(1200, (n): [string, string] => [`set-${n}`, '"é😀\ud83d"']),
      delete: range(501, (n) => `deleted-${n}`),
    },
  ],
  [
    'few keys with long values',
    { check: [['checked', 1]], set: range(40, (n): [string, string] => [`set-${n}`, 'x'.repeat(100_000)]), delete: [] },
  ],
  ['one value of 4 MiB', { check: [], set: [['set', 'x'.repeat(4 * 1024 * 1024)]], delete: [] }],
];

it.each(LARGE)('a batch of %s reaches the thread unchanged, serialized before', async (_what, batch) => {
  const packed = await packBatch(batch);
  const transfer = packed as ArrayBuffer[];
  expect(unpackBatch(structuredClone(packed, { transfer }))).toEqual(batch);
});

it('while a batch of many keys is serialized, other work goes on', async () => {
  let isPacked = false;
  const packing = packBatch({ set: range(60_000, (n): [string, string] => [`set-${n}`, `"${'x'.repeat(500)}"`]) });
  const turn = new Promise<boolean>((resolve) => void setImmediate(() => resolve(isPacked)));
  await packing.then(() => (isPacked = true));
  expect(await turn).toBe(false);
});

it('a small batch is passed as it is', async () => {
  const batch: Batch = { set: [['key', '1']] };
  expect(await packBatch(batch)).toBe(batch);
  expect(unpackBatch(batch)).toBe(batch);
});
