import assert from 'node:assert/strict';
import type { Stamp, SubscriptionChange, UserId } from '../../../src/domain/types.ts';
import type { Storage } from '../../../src/storage/stores.ts';
import { OVERLAP, type Suite } from './bench.ts';
import { rejectsWith, watch } from './expectations.ts';
import { A, B, C, currentOf, D, addUserWithDevices, changesFor, markOf, sorted } from './group-samples.ts';
import { add, addUser, remove } from './samples.ts';

/** Joining devices, leaving devices, and resulting groups: `ab cd` is the devices a and b, and c and d. */
type Step = readonly [join: string, leave: string, groups: string];

const toGroups = (text: string): string[][] => text.split(' ').flatMap((group) => (group === '' ? [] : [[...group]]));

const toText = (groups: readonly (readonly string[])[]): string => sorted(groups, '').join(' ');

export const groupTests: Suite = ({ describe, test }) => {
  describe('synchronizing', () => {
    const CASES: readonly (readonly [string, ...Step[]])[] = [
      ['no group at first', ['', '', '']],
      ['two groups', ['ab cd', '', 'ab cd']],
      ['one that grows', ['ab', '', 'ab'], ['bc', '', 'abc']],
      ['one merged from two', ['ab cd', '', 'ab cd'], ['da', '', 'abcd']],
      ['one merged in one step', ['ab cd bc', '', 'abcd']],
      ['one that shrinks', ['abc', '', 'abc'], ['', 'a', 'bc']],
      ['one that ends', ['ab', '', 'ab'], ['', 'a', '']],
      ['one that is left for another', ['abc de', '', 'abc de'], ['ad', 'a', 'ade bc']],
      ['none of a device alone', ['a', '', '']],
      ['none of a device that was in none', ['', 'a', '']],
    ];
    for (const [what, ...steps] of CASES) {
      test(`creates ${what}, and returns all groups`, async ({ storage, nowAndReopened }) => {
        const alice = await addUser(storage);
        for (const device of 'abcde') await storage.devices.save(alice, device, {});
        for (const [join, leave, groups] of steps) {
          assert.equal(toText(await storage.devices.synchronize(alice, toGroups(join), [...leave])), groups);
        }
        const [, , groups] = steps.at(-1)!;
        for await (const { devices } of nowAndReopened()) assert.equal(toText(await devices.groups(alice)), groups);
      });
    }

    test('gives members the union, and each receives what is new to it under one stamp', async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
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
        assert.deepEqual(await changesFor(storage, alice, device, mark), new Set(news), device);
        assert.deepEqual(await changesFor(storage, alice, device, stamp), new Set(news), device);
        assert.deepEqual(await changesFor(storage, alice, device, stamp + 1), new Set(), device);
      }
      assert.deepEqual(await storage.subscriptions.current(alice, 'car'), [C]);
    });

    test('does not restore feeds that every member has removed', async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
      await storage.subscriptions.apply(alice, 'phone', [...remove(A), ...add(D)]);
      await storage.devices.synchronize(alice, [['phone', 'tv']], []);
      for (const device of ['phone', 'tv']) assert.deepEqual(await currentOf(storage, alice, device), new Set([B, D]));
    });

    test('gives the members of each group their union', async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
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

    test('is not lost if concurrent with another one', async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
      await storage.devices.save(alice, 'bike', {});
      await Promise.all([
        storage.devices.synchronize(alice, [['phone', 'tv']], []),
        storage.devices.synchronize(alice, [['car', 'bike']], []),
      ]);
      assert.deepEqual(sorted(await storage.devices.groups(alice)), ['bike car', 'phone tv']);
    });

    test('is visible completely or not at all', async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
      await watch(storage.devices.synchronize(alice, [['phone', 'tv']], []), async () => {
        const groups = await storage.devices.groups(alice);
        const urls = await currentOf(storage, alice, 'phone');
        if (groups.length > 0) assert.deepEqual(urls, new Set([A, B]), 'the group is visible before its list');
      });
    });

    test('gets no stamp if nothing is new to any device', async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
      await storage.devices.synchronize(alice, [['phone', 'tv']], []);
      const mark = await markOf(storage, alice);
      await storage.devices.synchronize(alice, [['tv', 'phone']], []);
      await storage.devices.synchronize(alice, [], ['tv']);
      await storage.devices.synchronize(alice, [], []);
      assert.equal(await markOf(storage, alice), mark);
    });

    test('rejects with `missing` if a device is unknown, and changes nothing', async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
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

    test('is not lost on a device that uploads before it reads', async ({ storage, clock }) => {
      const alice = await addUserWithDevices(storage);
      clock.at += OVERLAP;
      await storage.devices.synchronize(alice, [['phone', 'tv']], []);
      const mark = await storage.subscriptions.apply(alice, 'phone', add(D));
      for (const since of [mark, mark + 1]) {
        const heard = await changesFor(storage, alice, 'phone', since);
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
      test(`shares ${what} with its group only, under one stamp`, async ({ storage, clock, nowAndReopened }) => {
        const alice = await addUserWithDevices(storage);
        await storage.devices.synchronize(alice, [['phone', 'tv']], []);
        clock.at += OVERLAP;
        const mark = await markOf(storage, alice);
        const after = await write(storage, alice);
        for await (const open of nowAndReopened()) {
          for (const device of ['phone', 'tv']) {
            assert.deepEqual(await currentOf(open, alice, device), new Set(urls));
            assert.deepEqual(await changesFor(open, alice, device, mark), new Set(changes));
            assert.deepEqual(await changesFor(open, alice, device, Math.max(mark, after - 1)), new Set(changes));
            assert.deepEqual(await changesFor(open, alice, device, after), new Set());
          }
          assert.deepEqual(await open.subscriptions.current(alice, 'car'), [C]);
          const counts = (await open.devices.all(alice)).map(({ subscriptions }) => subscriptions);
          assert.deepEqual(counts, [urls.length, urls.length, 1]);
        }
      });
    }

    test('receives a change once, although the upload names all of its devices', async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
      const devices = ['phone', 'tv', 'car'];
      await storage.devices.synchronize(alice, [devices], []);
      let passes = 0;
      const changes = Object.assign(add(D), {
        *[Symbol.iterator]() {
          passes += 1;
          yield* add(D);
        },
      });
      await storage.subscriptions.apply(alice, devices, changes);
      assert.equal(passes, devices.length);
      for (const device of devices) assert.ok((await currentOf(storage, alice, device)).has(D));
    });

    test('refuses more subscriptions than an account may have on all its devices', async ({ storage }) => {
      const alice = await addUser(storage);
      const devices = Array.from({ length: 76 }, (_, n) => `device-${n}`);
      await storage.subscriptions.apply(alice, devices, add(A));
      await storage.devices.synchronize(alice, [devices], []);
      const feeds = Array.from({ length: 2000 }, (_, n) => `https://podcasts.example/${n}`);
      await assert.rejects(
        storage.subscriptions.apply(
          alice,
          devices[0]!,
          feeds.flatMap((url) => add(url)),
        ),
        {
          code: 'too-large',
          message: /150000 subscriptions.*delete devices/,
        },
      );
      assert.deepEqual(await storage.subscriptions.current(alice), [A]);
      await storage.devices.delete(alice, devices[1]!);
      await storage.subscriptions.apply(
        alice,
        devices[0]!,
        feeds.slice(0, 1000).flatMap((url) => add(url)),
      );
      assert.equal((await storage.subscriptions.current(alice)).length, 1001);
    });

    test('that leaves keeps its list and changes independently', async ({ storage }) => {
      const alice = await addUserWithDevices(storage);
      await storage.devices.synchronize(alice, [['phone', 'tv', 'car']], []);
      await storage.devices.synchronize(alice, [], ['car']);
      const mark = await markOf(storage, alice);
      await storage.subscriptions.apply(alice, 'phone', [...remove(A), ...add(D)]);
      assert.deepEqual(await currentOf(storage, alice, 'car'), new Set([A, B, C]));
      assert.deepEqual(await changesFor(storage, alice, 'car', mark), new Set());
      await storage.subscriptions.apply(alice, 'car', remove(B));
      assert.deepEqual(await currentOf(storage, alice, 'tv'), new Set([B, C, D]));
    });
  });
};
