import { beforeEach, expect, it } from 'vitest';
import type { Url, UserId } from '../../src/domain/types.ts';
import type { Storage } from '../../src/storage/stores.ts';
import { countTurns, useFastTime } from '../event-loop.ts';
import { Cluster } from './nodes.ts';
import { add, addUser, feeds } from './suite/samples.ts';

const FEEDS = 3000;
const LIST = feeds(FEEDS);
/** Turns of the event loop for one pass over the list, as time passes here: 60, less the first and the last slice. */
const PASS = 58;

beforeEach(useFastTime);

/** An account with a long list; `isCached: false`: after a restart. */
async function openAccount(isCached = true): Promise<{ storage: Storage; alice: UserId }> {
  const cluster = new Cluster();
  let { storage } = await cluster.open(false);
  const alice = await addUser(storage);
  await storage.subscriptions.replace(alice, 'phone', LIST);
  if (!isCached) {
    await storage.close();
    ({ storage } = await cluster.open(false));
  }
  return { storage, alice };
}

it.each([true, false])('a long list is read in slices, cached: %s', async (isCached) => {
  const { storage, alice } = await openAccount(isCached);
  const { result, turns } = await countTurns(() => storage.subscriptions.current(alice));
  expect(result).toEqual(LIST);
  expect(turns).toBeGreaterThan(isCached ? PASS : 2 * PASS);
});

it('the changes of a long list are read in slices', async () => {
  const { storage, alice } = await openAccount();
  const { result, turns } = await countTurns(() => storage.subscriptions.since(alice, 'phone', 0));
  expect(result.items).toEqual(LIST.map((url: Url) => ({ url, subscribed: true })));
  expect(turns).toBeGreaterThan(PASS);
});

it('a read during a long upload sees all of it or nothing', async () => {
  const { storage, alice } = await openAccount();
  const reads: Promise<{ subscriptions: number }[]>[] = [];
  const upload = () => storage.subscriptions.apply(alice, 'phone', add(...feeds(FEEDS, FEEDS + 1)));
  await countTurns(upload, () => void reads.push(storage.devices.all(alice)));
  const counts = (await Promise.all(reads)).map(([phone]) => phone!.subscriptions);
  expect(new Set(counts)).toEqual(new Set([FEEDS, 2 * FEEDS]));
});

it('a device with a long list is deleted in slices', async () => {
  const { storage, alice } = await openAccount();
  const { turns } = await countTurns(() => storage.devices.delete(alice, 'phone'));
  expect(await storage.subscriptions.current(alice)).toEqual([]);
  expect(turns).toBeGreaterThan(5 * PASS);
});
