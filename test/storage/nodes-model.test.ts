import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Batch } from '../../src/storage/contract.ts';
import { isStorageError, StorageError } from '../../src/storage/errors.ts';
import type { Storage } from '../../src/storage/stores.ts';
import { seed } from '../seed.ts';
import { openMemoryStore } from './memory-store.ts';
import { Cluster, type Node } from './nodes.ts';
import { action, add, addUser, feed, readActions, remove } from './suite/samples.ts';
import { exportUser } from './suite/transfer/samples.ts';

/** One step of a user, on one of the nodes. */
interface Step {
  node: number;
  kind: string;
  device: string;
  numbers: number[];
  elapsed: number;
}

const STEP: fc.Arbitrary<Step> = fc.record({
  node: fc.nat(2),
  kind: fc.constantFrom('add', 'remove', 'replace', 'act', 'save', 'join', 'leave', 'set', 'list', 'login', 'pull'),
  device: fc.constantFrom('phone', 'tv', 'car'),
  numbers: fc.uniqueArray(fc.nat(12), { minLength: 1, maxLength: 5 }),
  elapsed: fc.constantFrom(0, 0, 1, 130),
});

async function take({ users, devices, ...storage }: Storage, { kind, device, numbers }: Step): Promise<unknown> {
  const { id } = (await users.find('alice'))!;
  const { subscriptions } = storage;
  const [first] = numbers as [number];
  switch (kind) {
    case 'add':
      return subscriptions.apply(id, device, add(...numbers.map(feed)));
    case 'remove':
      return subscriptions.apply(id, device, remove(...numbers.map(feed)));
    case 'replace':
      return subscriptions.replace(id, device, numbers.map(feed));
    case 'act':
      return storage.actions.append(
        id,
        numbers.map((n) => action(n, { device })),
      );
    case 'save':
      return devices.save(id, device, { caption: `${first}` });
    case 'join':
      return devices.synchronize(id, [(await devices.all(id)).slice(0, 2).map((each) => each.id)], []);
    case 'leave':
      return devices.synchronize(
        id,
        [],
        (await devices.all(id)).slice(0, 1).map((each) => each.id),
      );
    case 'set': {
      const set = Object.fromEntries([['sync_devices', first % 2 === 0], ...numbers.map((n) => [`key ${n}`, n])]);
      return storage.settings.update(id, { kind: 'account' }, { set, remove: [`key ${first + 1}`], limit: 20 });
    }
    case 'list':
      return storage.lists.create(id, { name: `${first}`, title: '', urls: numbers.map(feed) }).catch((error) => {
        if (isStorageError(error, 'conflict')) return 'conflict';
        throw error;
      });
    case 'login':
      await storage.sessions.save({ digest: `${first}`, user: id, expiresAt: 2_000_000_000 });
      return first % 3 === 0 ? storage.sessions.endAll(id) : storage.sessions.all(id);
    default:
      return [
        await subscriptions.since(id, device, 0),
        await storage.actions.query(id, {}).then(({ mark }) => mark),
        await readActions(storage as Storage, id, { device }),
        await devices.all(id),
      ];
  }
}

/** An answer that can be compared with that of another storage, where the user has another id. */
const withoutIds = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer ?? null).replaceAll(/"user":"[^"]*"/g, '"user":""'));

it('three nodes in turn answer and store the same as one node for a user', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 60 }), async (steps) => {
      const [shared, single] = [new Cluster(), new Cluster()];
      const nodes = [await shared.open(), await shared.open(), await shared.open()];
      const { storage: alone } = await single.open(false);
      const [alice, same] = [await addUser(nodes[0]!.storage), await addUser(alone)];
      for (const step of steps) {
        const answer = await take(nodes[step.node]!.storage, step);
        expect(withoutIds(answer)).toEqual(withoutIds(await take(alone, step)));
        shared.at += step.elapsed;
        single.at += step.elapsed;
      }
      const expected = await exportUser(alone, same);
      for (const { storage } of nodes) expect(await exportUser(storage, alice)).toEqual(expected);
      const { storage: cold } = await shared.open();
      expect(await exportUser(cold, alice)).toEqual(expected);
    }),
    { seed, numRuns: 100 },
  );
});

/** What happens to a call of a store. A commit that is `late` is stored before the next call that is not `quick`. */
const FATE = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('quick', 'done') },
  { weight: 1, arbitrary: fc.constantFrom('refused', 'lost', 'late') },
);

/**
 * Failures after which nobody knows whether a commit is stored. They are kept from removals by a new device: stored and
 * repeated, these also concern the feeds that it has got from the devices it follows.
 */
const MAY_STORE = new Set(['lost', 'late']);

/** Gives the next calls of a node these fates; all later ones succeed. Call the result when the step is done. */
function fail({ store }: Node, fates: readonly string[], { database }: Cluster): () => Promise<void> {
  let calls = 0;
  const late: Batch[] = [];
  const storeLate = async (): Promise<void> => {
    for (const batch of late.splice(0)) await openMemoryStore(database, true).commit(batch);
  };
  store.before = async (call, batch) => {
    const fate = fates[calls++] ?? 'done';
    if (fate === 'done') await storeLate();
    if (fate === 'done' || fate === 'quick') return;
    if (call === 'commit' && fate === 'late') late.push(batch!);
    if (call === 'commit' && fate === 'lost') store.lostAnswers = 1;
    else throw new StorageError('unavailable', fate);
  };
  return async () => {
    store.before = undefined;
    await storeLate();
  };
}

it('three nodes whose calls of the storage fail at random store the same if failed steps are repeated', async () => {
  const steps = fc.array(fc.tuple(STEP, fc.array(FATE, { maxLength: 12 })), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (failing) => {
      const [shared, single] = [new Cluster(), new Cluster()];
      const nodes = [await shared.open(), await shared.open(), await shared.open()];
      const { storage: alone } = await single.open(false);
      const [alice, same] = [await addUser(nodes[0]!.storage), await addUser(alone)];
      const seen = new Set<string>();
      let mark = 0;
      for (const [step, fates] of failing) {
        const node = nodes[step.node]!;
        const known = await alone.devices.all(same);
        const isFirst = ['remove', 'replace'].includes(step.kind) && !known.some(({ id }) => id === step.device);
        const end = fail(node, isFirst ? fates.filter((fate) => !MAY_STORE.has(fate)) : fates, shared);
        let isRepeated = false;
        const attempt = (): Promise<unknown> =>
          take(node.storage, step).catch((error: unknown) => {
            if (!isStorageError(error, 'unavailable')) throw error;
            isRepeated = true;
            return attempt();
          });
        const answer = await attempt();
        await end();
        const expected = await take(alone, step);
        if (!isRepeated) expect(withoutIds(answer)).toEqual(withoutIds(expected));
        expect(await exportUser(node.storage, alice)).toEqual(await exportUser(alone, same));
        const since = await node.storage.subscriptions.since(alice, 'phone', mark);
        ({ mark } = since);
        for (const { url, subscribed } of since.items) seen[subscribed ? 'add' : 'delete'](url);
        expect([...seen].toSorted()).toEqual((await alone.subscriptions.current(same, 'phone')).toSorted());
        shared.at += step.elapsed;
        single.at += step.elapsed;
      }
      const { storage: cold } = await shared.open();
      expect(await exportUser(cold, alice)).toEqual(await exportUser(alone, same));
    }),
    { seed, numRuns: 100 },
  );
});
