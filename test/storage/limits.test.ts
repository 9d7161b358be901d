import { describe, expect, it } from 'vitest';
import { checkBatch } from '../../src/storage/batch.ts';
import { MAX_KEY_BYTES, MAX_VALUE_BYTES } from '../../src/storage/contract.ts';

/** JSON text of a number of UTF-8 bytes, with three per character. */
const valueOf = (bytes: number): string => `"${'€'.repeat((bytes - 2) / 3)}${'x'.repeat((bytes - 2) % 3)}"`;

describe('a batch within the limits of the contract', () => {
  it.each([
    ['nothing', {}],
    ['the longest key', { check: [['k'.repeat(MAX_KEY_BYTES), 1]] as const }],
    ['the largest value', { set: [['k', valueOf(MAX_VALUE_BYTES)]] as const }],
    ['a check of a key that changes', { check: [['k', 0]] as const, delete: ['k'] }],
  ])('passes with %s', async (_what, batch) => {
    await expect(checkBatch(batch)).resolves.toBeUndefined();
  });
});

describe('a batch is refused with', () => {
  const long = 'k'.repeat(MAX_KEY_BYTES + 1);
  it.each([
    ['a key that is too long', { set: [[long, '1']] as const }, 'printable ASCII characters; "kkk'],
    ['a key that is empty', { delete: [''] }, 'a key must be 1 to 1024'],
    ['a key with a control character', { check: [['a\n', 1]] as const }, '"a\\n" has 2'],
    ['a key beyond ASCII', { delete: ['ä'] }, '"ä" has 1'],
    ['a value that is too large', { set: [['k', valueOf(MAX_VALUE_BYTES + 1)]] as const }, 'k has 4194305 bytes'],
  ])('%s', async (_what, batch, words) => {
    await expect(checkBatch(batch)).rejects.toMatchObject({ code: 'full' });
    await expect(checkBatch(batch)).rejects.toThrow(words);
  });

  it.each([
    ['changes', { set: [['k', '1']] as const, delete: ['k'] }],
    ['checks', { check: [['k', 1], ['k', 1]] as const }], // prettier-ignore
  ])('a key that it %s twice, which is not about its size', async (verb, batch) => {
    const refused = checkBatch(batch);
    await expect(refused).rejects.toThrow(`a batch ${verb} k twice`);
    await expect(refused).rejects.not.toHaveProperty('code');
  });
});
