import { expect, it } from 'vitest';
import { memoryOf, pack, unpack } from '../../../plugins/sqlite/packed-batch.ts';
import type { Batch } from '../../../src/plugin.ts';

const range = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

const LARGE: [what: string, batch: Batch, chunks: number][] = [
  [
    'many keys',
    {
      check: range(600, (n): [string, number] => [`checked-${n}`, n]),
      set: range(1200, (n): [string, string] => [`set-${n}`, '1']),
      delete: range(501, (n) => `deleted-${n}`),
    },
    2 + 3 + 2,
  ],
  [
    'few keys with long values',
    { check: [['checked', 1]], set: range(40, (n): [string, string] => [`set-${n}`, 'x'.repeat(100_000)]), delete: [] },
    1 + 8, // five values are as long as one may be that is not serialized
  ],
  ['one value of 4 MiB', { check: [], set: [['set', 'x'.repeat(4 * 1024 * 1024)]], delete: [] }, 1],
];

it.each(LARGE)('a batch of %s is serialized in chunks', async (_what, batch, chunks) => {
  const packed = await pack(batch);
  expect(packed).toHaveLength(chunks);
  expect(unpack(packed)).toEqual(batch);
});

it('serialized chunks are moved to the thread, not copied', async () => {
  const batch = LARGE[1]![1];
  const packed = await pack(batch);
  const received = structuredClone(packed, { transfer: memoryOf(packed) });
  expect(unpack(received)).toEqual(batch);
  expect((packed as Uint8Array[]).map(({ length }) => length)).toEqual((packed as Uint8Array[]).map(() => 0));
});

it('a small batch is passed as it is', async () => {
  const batch: Batch = { set: [['key', '1']] };
  expect(await pack(batch)).toBe(batch);
  expect(unpack(batch)).toBe(batch);
  expect(memoryOf(batch)).toEqual([]);
});
