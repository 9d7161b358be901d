import assert from 'node:assert/strict';
import type { Stamp, Storage, SubscriptionChange, UserId } from '../plugin.ts';
import { OVERLAP, type Suite } from './bench.ts';
import { rejectsWith, watch } from './expectations.ts';
import { action, add, addUser, feed, remove } from './samples.ts';

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map(feed) as [string, string, string, string];

/** What joins, what leaves and the groups that this comes to: `ab cd` is the devices a and b, and c and d. */
type Step = readonly [join: string, leave: string, groups: string];

const toGroups = (text: string): string[][] => text.split(' ').flatMap((group) => (group === '' ? [] : [[...group]]));

/** Groups in an order of their own: any will do. */
const sorted = (groups: readonly (readonly string[])[], separator = ' '): string[] =>
  groups.map((group) => group.toSorted().join(separator)).toSorted();

const toText = (groups: readonly (readonly string[])[]): string => sorted(groups, '').join(' ');

const markOf = async (storage: Storage, user: UserId): Promise<Stamp> =>
  (await storage.subscriptions.since(user, 'phone', 0)).mark;

/** A user whose devices have one feed each: the phone A, the TV B, the car C. */
async function furnish(storage: Storage): Promise<UserId> {
  const alice = await addUser(storage);
  for (const [device, url] of [
    ['phone', A],
    ['tv', B],
    ['car', C],
  ] as const) {
    await storage.subscriptions.apply(alice, device, add(url));
  }
  return alice;
}

/** What a device hears, without regard to order. */
async function hears(storage: Storage, user: UserId, device: string, since: Stamp): Promise<Set<SubscriptionChange>> {
  const { items } = await storage.subscriptions.since(user, device, since);
  assert.equal(new Set(items.map(({ url }) => url)).size, items.length, 'a feed is told twice');
  return new Set(items);
}

const currentOf = async (storage: Storage, user: UserId, device: string): Promise<Set<string>> =>
  new Set(await storage.subscriptions.current(user, device));

const followAll = (storage: Storage, user: UserId, value: boolean | string): Promise<unknown> =>
  storage.settings.update(user, { kind: 'account' }, { set: { sync_devices: value }, remove: [], limit: 1000 });

export const groupTests: Suite = ({ describe, test }) => {
  describe('synchronizing', () => {
    const CASES: readonly (readonly [string, ...Step[]])[] = [
      ['no group at first', ['', '', '']],
      ['two groups', ['ab cd', '', 'ab cd']],
      ['one that grows', ['ab', '', 'ab'], ['bc', '', 'abc']],
      ['two that meet', ['ab cd', '', 'ab cd'], ['da', '', 'abcd']],
      ['groups that meet in one step', ['ab cd bc', '', 'abcd']],
      ['one that shrinks', ['abc', '', 'abc'], ['', 'a', 'bc']],
      ['one that ends', ['ab', '', 'ab'], ['', 'a', '']],
      ['one that is left for another', ['abc de', '', 'abc de'], ['ad', 'a', 'ade bc']],
      ['none of a device alone', ['a', '', '']],
      ['none of a device that was in none', ['', 'a', '']],
    ];
    for (const [what, ...steps] of CASES) {
      test(`makes ${what}, and answers all groups`, async ({ storage, nowAndReopened }) => {
        const alice = await addUser(storage);
        for (const device of 'abcde') await storage.devices.save(alice, device, {});
        for (const [join, leave, groups] of steps) {
          assert.equal(toText(await storage.devices.synchronize(alice, toGroups(join), [...leave])), groups);
        }
        const [, , groups] = steps.at(-1)!;
        for await (const { devices } of nowAndReopened()) assert.equal(toText(await devices.groups(alice)), groups);
      });
    }

    test('brings members to the union, and each hears what is new to it under one stamp', async ({ storage }) => {
      const alice = await furnish(storage);
      await storage.subscriptions.apply(alice, 'tv', add(A));
      const mark = await markOf(storage, alice);
      await storage.devices.synchronize(alice, [['phone', 'tv']], []);
      const stamp = (await markOf(storage, alice)) - 1;
      for (const device of ['phone', 'tv']) assert.deepEqual(await currentOf(storage, alice, device), new Set([A, B]));
      for (const [device, news] of [
        ['phone', add(B)],
        ['tv', []],
        ['car', []],
      ] as const) {
        assert.deepEqual(await hears(storage, alice, device, mark), new Set(news), device);
        assert.deepEqual(await hears(storage, alice, device, stamp), new Set(news), device);
        assert.deepEqual(await hears(storage, alice, device, stamp + 1), new Set(), device);
      }
      assert.deepEqual(await storage.subscriptions.current(alice, 'car'), [C]);
    });

    test('does not bring back what every member has removed', async ({ storage }) => {
      const alice = await furnish(storage);
      await storage.subscriptions.apply(alice, 'phone', [...remove(A), ...add(D)]);
      await storage.devices.synchronize(alice, [['phone', 'tv']], []);
      for (const device of ['phone', 'tv']) assert.deepEqual(await currentOf(storage, alice, device), new Set([B, D]));
    });

    test('brings the members of each group to the union', async ({ storage }) => {
      const alice = await furnish(storage);
      await storage.subscriptions.apply(alice, 'bike', add(D));
      const groups = [
        ['phone', 'tv'],
        ['car', 'bike'],
      ];
      await storage.devices.synchronize(alice, groups, []);
      for (const [devices, urls] of [
        [groups[0]!, [A, B]],
        [groups[1]!, [C, D]],
      ] as const) {
        for (const device of devices) {
          assert.deepEqual(await currentOf(storage, alice, device), new Set(urls), device);
        }
      }
    });

    test('at once with another loses neither', async ({ storage }) => {
      const alice = await furnish(storage);
      await storage.devices.save(alice, 'bike', {});
      await Promise.all([
        storage.devices.synchronize(alice, [['phone', 'tv']], []),
        storage.devices.synchronize(alice, [['car', 'bike']], []),
      ]);
      assert.deepEqual(sorted(await storage.devices.groups(alice)), ['bike car', 'phone tv']);
    });

    test('is seen whole or not at all', async ({ storage }) => {
      const alice = await furnish(storage);
      await watch(storage.devices.synchronize(alice, [['phone', 'tv']], []), async () => {
        const groups = await storage.devices.groups(alice);
        const urls = await currentOf(storage, alice, 'phone');
        if (groups.length > 0) assert.deepEqual(urls, new Set([A, B]), 'the group is there before its list');
      });
    });

    test('takes no stamp where nothing is new to anyone', async ({ storage }) => {
      const alice = await furnish(storage);
      await storage.devices.synchronize(alice, [['phone', 'tv']], []);
      const mark = await markOf(storage, alice);
      await storage.devices.synchronize(alice, [['tv', 'phone']], []);
      await storage.devices.synchronize(alice, [], ['tv']);
      await storage.devices.synchronize(alice, [], []);
      assert.equal(await markOf(storage, alice), mark);
    });

    test('rejects with `missing` when a device is unknown, and changes nothing', async ({ storage }) => {
      const alice = await furnish(storage);
      const bob = await addUser(storage, 'bob');
      await storage.devices.save(bob, 'bike', {});
      await storage.devices.synchronize(alice, [['phone', 'tv']], []);
      await rejectsWith('missing', storage.devices.synchronize(alice, [['phone', 'car']], ['bike']));
      await rejectsWith('missing', storage.devices.synchronize(alice, [['phone', 'car', 'bike']], []));
      await rejectsWith('missing', storage.devices.synchronize(alice, [], ['tv', 'bike']));
      assert.deepEqual(sorted(await storage.devices.groups(alice)), ['phone tv']);
      assert.deepEqual(await storage.subscriptions.current(alice, 'car'), [C]);
      assert.equal(await storage.devices.find(alice, 'bike'), undefined);
      assert.deepEqual(await storage.devices.groups(bob), []);
    });

    test('is not lost on a device that uploads before it has heard', async ({ storage, clock }) => {
      const alice = await furnish(storage);
      clock.at += OVERLAP;
      await storage.devices.synchronize(alice, [['phone', 'tv']], []);
      const mark = await storage.subscriptions.apply(alice, 'phone', add(D));
      for (const since of [mark, mark + 1]) {
        const heard = await hears(storage, alice, 'phone', since);
        const added = [...heard].flatMap(({ url, subscribed }) => (subscribed ? [url] : []));
        assert.ok(added.includes(B), `the phone does not hear of ${B}, but of these: ${added}`);
      }
    });
  });

  describe('a member', () => {
    for (const [what, write, urls, changes] of [
      ['an addition', (storage, user) => storage.subscriptions.apply(user, 'tv', add(D)), [A, B, D], add(D)],
      ['a removal', (storage, user) => storage.subscriptions.apply(user, 'tv', remove(A)), [B], remove(A)],
      [
        'a whole list',
        (storage, user) => storage.subscriptions.replace(user, 'tv', [D, A]),
        [A, D],
        [...remove(B), ...add(D)],
      ],
      [
        'an upload that changes nothing',
        (storage, user) => storage.subscriptions.apply(user, 'tv', add(A)),
        [A, B],
        [],
      ],
    ] as readonly [string, (storage: Storage, user: UserId) => Promise<Stamp>, string[], SubscriptionChange[]][]) {
      test(`shares ${what} with its group alone, under one stamp`, async ({ storage, clock, nowAndReopened }) => {
        const alice = await furnish(storage);
        await storage.devices.synchronize(alice, [['phone', 'tv']], []);
        clock.at += OVERLAP;
        const mark = await markOf(storage, alice);
        const after = await write(storage, alice);
        for await (const open of nowAndReopened()) {
          for (const device of ['phone', 'tv']) {
            assert.deepEqual(await currentOf(open, alice, device), new Set(urls));
            assert.deepEqual(await hears(open, alice, device, mark), new Set(changes));
            assert.deepEqual(await hears(open, alice, device, after - 1), new Set(changes));
            assert.deepEqual(await hears(open, alice, device, after), new Set());
          }
          assert.deepEqual(await open.subscriptions.current(alice, 'car'), [C]);
          const counts = (await open.devices.all(alice)).map(({ subscriptions }) => subscriptions);
          assert.deepEqual(counts, [urls.length, urls.length, 1]);
        }
      });
    }

    test('that leaves keeps its list and goes its own way', async ({ storage }) => {
      const alice = await furnish(storage);
      await storage.devices.synchronize(alice, [['phone', 'tv', 'car']], []);
      await storage.devices.synchronize(alice, [], ['car']);
      const mark = await markOf(storage, alice);
      await storage.subscriptions.apply(alice, 'phone', [...remove(A), ...add(D)]);
      assert.deepEqual(await currentOf(storage, alice, 'car'), new Set([A, B, C]));
      assert.deepEqual(await hears(storage, alice, 'car', mark), new Set());
      await storage.subscriptions.apply(alice, 'car', remove(B));
      assert.deepEqual(await currentOf(storage, alice, 'tv'), new Set([B, C, D]));
    });
  });

  describe('with the setting `sync_devices`', () => {
    /** What brings the bike about, what it brings along, and whether that is an upload, which answers a mark. */
    const CREATIONS: readonly [string, (storage: Storage, user: UserId) => Promise<Stamp | undefined>, string[]][] = [
      ['saving it', (storage, user) => storage.devices.save(user, 'bike', { type: 'other' }).then(() => undefined), []],
      ['a delta', (storage, user) => storage.subscriptions.apply(user, 'bike', add(D)), [D]],
      ['an empty delta', (storage, user) => storage.subscriptions.apply(user, 'bike', []), []],
      ['a whole list', (storage, user) => storage.subscriptions.replace(user, 'bike', [D, A]), [D]],
      ['an episode action', (storage, user) => storage.actions.append(user, [action(1, { device: 'bike' })]), []],
    ];
    for (const [what, create, brought] of CREATIONS) {
      test(`a device created by ${what} joins all others`, async ({ storage, clock, nowAndReopened }) => {
        const alice = await furnish(storage);
        await followAll(storage, alice, true);
        assert.deepEqual(await storage.devices.groups(alice), [], 'before anything is created');
        clock.at += OVERLAP;
        const before = await markOf(storage, alice);
        const mark = await create(storage, alice);
        const stamp = (await markOf(storage, alice)) - 1;
        if (mark !== undefined) assert.equal(mark, stamp - 1, 'it has yet to hear what the others brought');
        for await (const open of nowAndReopened()) {
          assert.deepEqual(sorted(await open.devices.groups(alice)), ['bike car phone tv']);
          for (const device of ['bike', 'car', 'phone', 'tv']) {
            assert.deepEqual(await currentOf(open, alice, device), new Set([A, B, C, ...brought]), device);
          }
          assert.deepEqual(await hears(open, alice, 'phone', before), new Set(add(B, C, ...brought)));
          assert.deepEqual(await hears(open, alice, 'bike', mark ?? before), new Set(add(A, B, C, ...brought)));
          assert.deepEqual(await hears(open, alice, 'bike', stamp + 1), new Set());
        }
      });
    }

    test('what a new device brings itself comes first in its list', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await followAll(storage, alice, true);
      await storage.subscriptions.apply(alice, 'phone', add(A, B, C));
      await storage.subscriptions.replace(alice, 'tv', [D, B]);
      for await (const { subscriptions } of nowAndReopened()) {
        assert.deepEqual(await subscriptions.current(alice, 'tv'), [D, B, A, C]);
        assert.deepEqual(await subscriptions.current(alice, 'phone'), [A, B, C, D]);
      }
    });

    test('a new device that brings all that the others have hears none of it again', async ({ storage, clock }) => {
      const alice = await addUser(storage);
      await followAll(storage, alice, true);
      await storage.subscriptions.apply(alice, 'phone', add(A, B));
      clock.at += OVERLAP;
      const mark = await storage.subscriptions.apply(alice, 'tv', add(B, A));
      assert.deepEqual(await hears(storage, alice, 'tv', mark), new Set());
      assert.deepEqual(sorted(await storage.devices.groups(alice)), ['phone tv']);
    });

    test('a new device that uploads again before it has heard loses nothing', async ({ storage, clock }) => {
      const alice = await furnish(storage);
      await followAll(storage, alice, true);
      clock.at += OVERLAP;
      await storage.subscriptions.apply(alice, 'bike', add(D));
      const mark = await storage.subscriptions.apply(alice, 'bike', remove(D));
      for (const since of [mark, mark + 1]) {
        const heard = await hears(storage, alice, 'bike', since);
        const added = [...heard].flatMap(({ url, subscribed }) => (subscribed ? [url] : []));
        assert.deepEqual(new Set(added), new Set([A, B, C]));
      }
    });

    test('the first device joins nobody, the second the first', async ({ storage }) => {
      const alice = await addUser(storage);
      await followAll(storage, alice, true);
      await storage.subscriptions.apply(alice, 'phone', add(A));
      assert.deepEqual(await storage.devices.groups(alice), []);
      await storage.subscriptions.apply(alice, 'tv', add(B));
      assert.deepEqual(sorted(await storage.devices.groups(alice)), ['phone tv']);
      assert.deepEqual(await currentOf(storage, alice, 'phone'), new Set([A, B]));
    });

    test('a device that joins takes no stamp where nobody has anything', async ({ storage }) => {
      const alice = await addUser(storage);
      await followAll(storage, alice, true);
      await storage.devices.save(alice, 'phone', {});
      const mark = await markOf(storage, alice);
      await storage.devices.save(alice, 'tv', {});
      assert.deepEqual(sorted(await storage.devices.groups(alice)), ['phone tv']);
      assert.equal(await markOf(storage, alice), mark);
    });

    for (const value of [false, 'true']) {
      test(`${JSON.stringify(value)} nothing joins by itself, and groups stay`, async ({ storage }) => {
        const alice = await furnish(storage);
        await followAll(storage, alice, true);
        await storage.devices.save(alice, 'bike', {});
        await followAll(storage, alice, value);
        await storage.subscriptions.apply(alice, 'boat', add(D));
        assert.deepEqual(sorted(await storage.devices.groups(alice)), ['bike car phone tv']);
        assert.deepEqual(await storage.subscriptions.current(alice, 'boat'), [D]);
      });
    }
  });
};
