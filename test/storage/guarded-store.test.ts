import { expect, it } from 'vitest';
import { type KeyValueStore, MAX_VALUE_BYTES } from '../../src/storage/contract.ts';
import { guardStore } from '../../src/storage/guarded-store.ts';
import { type Faults, MemoryDatabase, openMemoryStore } from './memory-store.ts';

/** A store that counts how often it was closed, and the guarded one. */
function open(): { memory: KeyValueStore & Faults; store: KeyValueStore; closed: () => number } {
  const memory = openMemoryStore(new MemoryDatabase(), true);
  let count = 0;
  const { close } = memory;
  memory.close = async () => {
    count += 1;
    await close();
  };
  return { memory, store: guardStore(memory), closed: () => count };
}

it('closing waits for running calls', async () => {
  const { memory, store, closed } = open();
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  memory.before = () => isReleased;
  const commits = Promise.all(Array.from({ length: 100 }, (_, n) => store.commit({ set: [[`k/${n}`, '1']] })));
  const reading = store.get(['k/0']);
  const closing = store.close();
  await new Promise(setImmediate);
  expect(closed()).toBe(0);
  release();
  expect(new Set(await commits).size).toBe(100);
  await reading;
  await closing;
  expect(closed()).toBe(1);
});

it('a call that fails does not keep the store open', async () => {
  const { memory, store, closed } = open();
  memory.before = () => Promise.reject(new Error('broken'));
  const reading = store.get(['a']);
  await store.close();
  await expect(reading).rejects.toThrow('broken');
  expect(closed()).toBe(1);
});

it('a store may be closed twice, even concurrently; its plugin is closed once', async () => {
  const { store, closed } = open();
  await store.commit({ set: [['a', '1']] });
  await Promise.all([store.close(), store.close()]);
  await store.close();
  expect(closed()).toBe(1);
});

it('a closed store rejects every call, which does not reach the plugin', async () => {
  const { memory, store } = open();
  await store.close();
  const refusal = { code: 'unavailable', message: 'the storage is closed' };
  await expect(store.get(['a'])).rejects.toMatchObject(refusal);
  await expect(store.list({ from: 'a', until: 'b', limit: 1 })).rejects.toMatchObject(refusal);
  await expect(store.commit({ set: [['a', '2']] })).rejects.toMatchObject(refusal);
  await expect(store.ping()).rejects.toMatchObject(refusal);
  await expect(store.verify()).rejects.toMatchObject(refusal);
  expect(memory.calls).toEqual([]);
});

it('a batch that is too large is reported as a full storage, but not one that changes a key twice', async () => {
  const { memory, store } = open();
  const tooLarge = store.commit({ set: [['a', 'x'.repeat(MAX_VALUE_BYTES + 1)]] });
  await expect(tooLarge).rejects.toMatchObject({ code: 'full' });
  const twice = store.commit({ set: [['a', '1'], ['a', '2']] }); // prettier-ignore
  await expect(twice).rejects.toThrow(new Error('a batch changes a twice'));
  await expect(twice).rejects.not.toHaveProperty('code');
  expect(memory.calls).toEqual([]);
  await store.close();
});
