import assert from 'node:assert/strict';
import type { Suite } from './bench.ts';
import { action, add, addUser, feed, feeds, remove } from './samples.ts';

const [A, B, C, D, X] = ['a', 'b', 'c', 'd', 'x'].map(feed) as [string, string, string, string, string];

export const subscriptionTests: Suite = ({ describe, test }) => {
  describe('the current list', () => {
    test('is in the order first added, even after removing and adding again', async ({ storage, clock }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(C, A));
      clock.at += 10;
      await storage.subscriptions.apply(alice, 'phone', add(B));
      await storage.subscriptions.apply(alice, 'phone', remove(C));
      assert.deepEqual(await storage.subscriptions.current(alice, 'phone'), [A, B]);
      clock.at += 10;
      await storage.subscriptions.apply(alice, 'phone', add(D, C));
      assert.deepEqual(await storage.subscriptions.current(alice, 'phone'), [C, A, B, D]);
    });

    test('of all devices contains each URL once', async ({ storage }) => {
      const alice = await addUser(storage);
      assert.deepEqual(await storage.subscriptions.current(alice), []);
      await storage.subscriptions.apply(alice, 'phone', add(B));
      await storage.subscriptions.apply(alice, 'tv', add(C, B));
      await storage.subscriptions.apply(alice, 'phone', add(A, C));
      assert.deepEqual(await storage.subscriptions.current(alice), [B, C, A]);
      await storage.subscriptions.apply(alice, 'phone', remove(C, A));
      assert.deepEqual(await storage.subscriptions.current(alice), [B, C]);
    });

    test('belongs to one user and one device', async ({ storage }) => {
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      await storage.subscriptions.apply(alice, 'phone', add(A));
      await storage.subscriptions.apply(alice, 'tv', add(B));
      await storage.subscriptions.apply(bob, 'phone', add(C));
      await storage.subscriptions.apply(bob, 'phone', remove(A));
      assert.deepEqual(await storage.subscriptions.current(alice, 'phone'), [A]);
      assert.deepEqual(await storage.subscriptions.current(alice, 'tv'), [B]);
      assert.deepEqual(await storage.subscriptions.current(alice), [A, B]);
      assert.deepEqual(await storage.subscriptions.current(bob), [C]);
      assert.deepEqual(await storage.subscriptions.current(bob, 'tv'), [], 'a device that only alice has');
      assert.deepEqual((await storage.subscriptions.since(bob, 'tv', 0)).items, []);
    });

    test('compares URLs exactly, up to 8,192 characters', async ({ storage, reopen }) => {
      const alice = await addUser(storage);
      const long = feed('long/'.padEnd(8192 - feed('').length - 1, 'x'));
      const urls = [feed('F'), feed('f'), feed('f/'), feed('%66'), feed("'"), feed('_'), `${long}1`, `${long}2`];
      await storage.subscriptions.apply(alice, 'phone', add(...urls));
      const { subscriptions } = await reopen();
      assert.deepEqual(await subscriptions.current(alice, 'phone'), urls);
      await subscriptions.apply(alice, 'phone', remove(`${long}1`, feed('F')));
      const left = urls.filter((url) => url !== `${long}1` && url !== feed('F'));
      assert.deepEqual(await subscriptions.current(alice, 'phone'), left);
    });
  });

  describe('a change on several devices', () => {
    test('is one upload, which every device receives, and creates unknown devices', async ({ storage }) => {
      const { subscriptions, devices } = storage;
      const alice = await addUser(storage);
      await subscriptions.apply(alice, 'phone', add(A));
      const { mark } = await subscriptions.since(alice, 'phone', 0);
      const after = await subscriptions.apply(alice, ['phone', 'tv'], [...add(B), ...remove(A)]);
      for (const device of ['phone', 'tv']) {
        const changes = await subscriptions.since(alice, device, mark);
        assert.deepEqual(changes.items, device === 'tv' ? add(B) : [...add(B), ...remove(A)]);
        assert.deepEqual((await subscriptions.since(alice, device, changes.mark)).items, []);
        assert.deepEqual(await subscriptions.current(alice, device), [B]);
      }
      assert.ok(after <= mark + 2, 'one stamp');
      assert.deepEqual(
        (await devices.all(alice)).map(({ id }) => id),
        ['phone', 'tv'],
      );
    });

    test('in one group is applied once', async ({ storage }) => {
      const { subscriptions, devices } = storage;
      const alice = await addUser(storage);
      for (const id of ['phone', 'tv', 'desk']) await devices.save(alice, id, {});
      await devices.synchronize(alice, [['phone', 'tv']], []);
      await subscriptions.apply(alice, ['phone', 'tv'], add(A));
      assert.deepEqual(await subscriptions.current(alice, 'phone'), [A]);
      assert.deepEqual(await subscriptions.current(alice, 'tv'), [A]);
      assert.deepEqual(await subscriptions.current(alice, 'desk'), []);
      const counted = await storage.podcasts.find([A]);
      assert.equal(counted[0]?.subscribers, 1);
    });
  });

  describe('a since-read', () => {
    test('returns the last state of each URL, by stamp, then in upload order', async ({ storage }) => {
      const alice = await addUser(storage);
      const { subscriptions } = storage;
      const first = await subscriptions.apply(alice, 'phone', add(C, A, B));
      assert.deepEqual((await subscriptions.since(alice, 'phone', 0)).items, add(C, A, B));
      const second = await subscriptions.apply(alice, 'phone', [...add(D), ...remove(A)]);
      await subscriptions.apply(alice, 'phone', remove(C));
      assert.deepEqual(await itemsSince(0), [...add(B, D), ...remove(A, C)]);
      assert.deepEqual(await itemsSince(first), [...add(D), ...remove(A, C)]);
      assert.deepEqual(await itemsSince(second), remove(C));

      async function itemsSince(mark: number): Promise<unknown> {
        return (await subscriptions.since(alice, 'phone', mark)).items;
      }
    });

    test('shows add, remove, add as one add and remove, add, remove as one remove', async ({ storage }) => {
      const alice = await addUser(storage);
      const { subscriptions } = storage;
      const before = await subscriptions.apply(alice, 'phone', add(B));
      for (const changes of [add(A), remove(A, B), add(A, B), remove(B)]) {
        await subscriptions.apply(alice, 'phone', changes);
      }
      assert.deepEqual((await subscriptions.since(alice, 'phone', before)).items, [...add(A), ...remove(B)]);
      assert.deepEqual((await subscriptions.since(alice, 'phone', 0)).items, [...add(A), ...remove(B)]);
    });

    test('shows one device only', async ({ storage }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(A));
      await storage.subscriptions.apply(alice, 'tv', add(B));
      assert.deepEqual((await storage.subscriptions.since(alice, 'phone', 0)).items, add(A));
      assert.deepEqual((await storage.subscriptions.since(alice, 'tv', 0)).items, add(B));
      assert.deepEqual((await storage.subscriptions.since(alice, 'car', 0)).items, []);
    });

    test('returns 3 changes among 10,000 subscriptions', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      const urls = feeds(10_000);
      const before = await storage.subscriptions.replace(alice, 'phone', urls);
      const changes = [...remove(feed(5000)), ...add(X), ...remove(feed(1))];
      const after = await storage.subscriptions.apply(alice, 'phone', changes);
      for await (const { subscriptions } of nowAndReopened()) {
        assert.deepEqual((await subscriptions.since(alice, 'phone', before)).items, changes);
        assert.deepEqual((await subscriptions.since(alice, 'phone', after)).items, []);
        assert.equal((await subscriptions.since(alice, 'phone', 0)).items.length, 10_001);
        const left = [...urls.filter((url) => url !== feed(1) && url !== feed(5000)), X];
        assert.deepEqual(await subscriptions.current(alice, 'phone'), left);
      }
    });
  });

  describe('a change without effect', () => {
    for (const [what, changes, shown] of [
      ['adding a present feed', add(A), []],
      ['removing a feed that was never present', remove(X), []],
      ['removing a removed feed', remove(B), []],
      ['no change at all', [], []],
      ['among others that do', [...add(A, C), ...remove(B, X)], add(C)],
      ['the same change twice', add(C, C), add(C)],
    ] as const) {
      test(`gets no stamp: ${what}`, async ({ storage }) => {
        const alice = await addUser(storage);
        const { subscriptions } = storage;
        await subscriptions.apply(alice, 'phone', add(A, B));
        const before = await subscriptions.apply(alice, 'phone', remove(B));
        const after = await subscriptions.apply(alice, 'phone', changes);
        assert.deepEqual((await subscriptions.since(alice, 'phone', before)).items, shown);
        assert.deepEqual((await subscriptions.since(alice, 'phone', 0)).items, [...add(A), ...remove(B), ...shown]);
        if (shown.length === 0) assert.equal(after, before, 'the mark moved');
      });
    }

    test('gets no stamp: replacing a list by itself, in another order', async ({ storage }) => {
      const alice = await addUser(storage);
      const before = await storage.subscriptions.apply(alice, 'phone', add(A, B));
      assert.equal(await storage.subscriptions.replace(alice, 'phone', [B, A]), before);
      assert.deepEqual((await storage.subscriptions.since(alice, 'phone', before)).items, []);
      assert.deepEqual(await storage.subscriptions.current(alice, 'phone'), [A, B]);
    });
  });

  describe('replacing', () => {
    for (const [what, before, urls, after] of [
      ['fills an empty list', [], [C, A, B], [C, A, B]],
      ['adds and removes', [A, B, C], [D, B], [B, D]],
      ['empties a list', [A, B], [], []],
      ['takes each URL once', [A], [B, A, B, A], [A, B]],
    ] as const) {
      test(what, async ({ storage }) => {
        const alice = await addUser(storage);
        const { subscriptions } = storage;
        await subscriptions.apply(alice, 'tv', add(A, X));
        await subscriptions.apply(alice, 'phone', add(...before));
        const start = (await subscriptions.since(alice, 'phone', 0)).mark;
        await subscriptions.replace(alice, 'phone', urls);
        assert.deepEqual(await subscriptions.current(alice, 'phone'), after);
        assert.deepEqual(await subscriptions.current(alice, 'tv'), [A, X]);

        const changes = (await subscriptions.since(alice, 'phone', start)).items;
        const removed = before.filter((url) => !new Set<string>(urls).has(url));
        const added = after.filter((url) => !new Set<string>(before).has(url));
        assert.deepEqual(new Set(changes), new Set([...add(...added), ...remove(...removed)]));
      });
    }
  });

  test('is not affected by episode actions', async ({ storage }) => {
    const alice = await addUser(storage);
    await storage.actions.append(alice, [action(1, { device: 'phone' })]);
    assert.deepEqual(await storage.subscriptions.current(alice, 'phone'), []);
    assert.deepEqual((await storage.subscriptions.since(alice, 'phone', 0)).items, []);
  });
};
