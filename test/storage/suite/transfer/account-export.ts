import assert from 'node:assert/strict';
import type { UserRecord } from '../../../../src/storage/stores.ts';
import { START, type Suite } from '../bench.ts';
import { rejectsWith } from '../expectations.ts';
import { action, actions, add, addUser, feed, feeds, readPages, remove, SECRET, session } from '../samples.ts';
import { exportUser, createFullAccount, LARGE } from './samples.ts';

/** The tests of exports for `transferTests`. */
export const accountExportTests: Suite = ({ describe, test }) => {
  describe('an export', () => {
    test('contains all of an account, in a fixed order', async ({ storage, clock }) => {
      const alice = await addUser(storage);
      const { devices, subscriptions, settings } = storage;
      await devices.save(alice, 'tv', { caption: 'My TV' });
      await devices.save(alice, 'phone', { type: 'mobile' });
      await subscriptions.apply(alice, 'tv', add(feed(2), feed(1)));
      clock.at += 60;
      await subscriptions.apply(alice, 'phone', add(feed(3)));
      await subscriptions.apply(alice, 'tv', remove(feed(2)));
      const [first, second] = [action(1, { device: 'phone' }), action(2, { action: 'play', play: { position: 7 } })];
      await storage.actions.append(alice, [first, second]);
      await settings.update(alice, { kind: 'account' }, { set: { b: [1], a: null }, ...LARGE });
      await settings.update(alice, { kind: 'account' }, { set: { b: 2, 7: '' }, ...LARGE });
      await storage.lists.create(alice, { name: 'news', title: 'News', urls: [feed(9), feed(1)] });
      await storage.lists.create(alice, { name: 'art', title: 'Art', urls: [] });
      for (const digest of ['b', 'a']) await storage.sessions.save(session(alice, digest, clock.at + 100));
      await storage.sessions.save(session(alice, 'over', START));

      const expected: UserRecord[] = [
        { kind: 'user', name: 'alice', passwordHash: `${SECRET}-hash-of-alice`, createdAt: START, stamp: START + 65 },
        { kind: 'device', device: { id: 'phone', caption: '', type: 'mobile' }, place: 2 },
        { kind: 'device', device: { id: 'tv', caption: 'My TV', type: 'other' }, place: 1 },
        { kind: 'subscription', device: 'tv', url: feed(1), subscribed: true, stamp: START + 2, place: 2 },
        { kind: 'subscription', device: 'phone', url: feed(3), subscribed: true, stamp: START + 61, place: 3 },
        { kind: 'subscription', device: 'tv', url: feed(2), subscribed: false, stamp: START + 63, place: 1 },
        { kind: 'action', action: first, stamp: START + 65, uploadedAt: START + 60 },
        { kind: 'action', action: second, stamp: START + 65, uploadedAt: START + 60 },
        { kind: 'settings', scope: { kind: 'account' }, values: Object.entries({ b: 2, a: null }) },
        { kind: 'list', list: { name: 'news', title: 'News', urls: [feed(9), feed(1)] } },
        { kind: 'list', list: { name: 'art', title: 'Art', urls: [] } },
        { kind: 'session', digest: `${SECRET}-a`, expiresAt: START + 160 },
        { kind: 'session', digest: `${SECRET}-b`, expiresAt: START + 160 },
        { kind: 'session', digest: `${SECRET}-over`, expiresAt: START },
      ];
      for (const record of expected) if (record.kind === 'settings') record.values.push(['7', '']);
      assert.deepEqual(await exportUser(storage, alice), expected);
    });

    test('is sorted by code points, and by the subject of a scope', async (bench) => {
      const records = await exportUser(bench.storage, await createFullAccount(bench));
      assert.deepEqual(
        records.flatMap((record) => (record.kind === 'device' ? record.device.id : [])),
        ['Phone', 'a b', 'app', 'car', 'late', 'new one', 'phone', 'tv', '\uff5a', '\u{1d49c}'],
      );
      assert.deepEqual(
        records.flatMap((record) => (record.kind === 'group' ? [record.devices] : [])),
        [
          ['phone', 'tv'],
          ['\uff5a', '\u{1d49c}'],
        ],
      );
      const scopes = records.flatMap((record) => (record.kind === 'settings' ? record.scope : []));
      const podcasts = [feed(1), `${feed(1)}!`, `${feed(1)}"`, feed(10)];
      const ends = ['', '!', '"', '\uff5a', '\u{1d49c}'];
      assert.deepEqual(scopes, [
        { kind: 'account' },
        { kind: 'device', device: '\uff5a' },
        { kind: 'device', device: '\u{1d49c}' },
        ...podcasts.map((podcast) => ({ kind: 'podcast', podcast })),
        ...podcasts.flatMap((podcast) =>
          ends.map((end) => ({ kind: 'episode', podcast, episode: `https://podcasts.example/${end}` })),
        ),
      ]);
    });

    test('is a snapshot: it does not contain later writes', async (bench) => {
      const { storage } = bench;
      const alice = await createFullAccount(bench);
      const before = await exportUser(storage, alice);
      const pages = storage.transfer.exportUser(alice)[Symbol.asyncIterator]();
      const first = await pages.next();
      await storage.subscriptions.replace(alice, 'phone', feeds(50, 100));
      await storage.actions.append(alice, actions(1500, 5000, { device: 'brand new' }));
      await storage.settings.update(alice, { kind: 'account' }, { set: { later: 1 }, ...LARGE });
      await storage.lists.create(alice, { name: 'later', title: '', urls: [] });
      await storage.sessions.save(session(alice, 'later', START + 9000));
      const rest = await readPages({ [Symbol.asyncIterator]: () => pages });
      assert.deepEqual([...(first.value as UserRecord[]), ...rest], before);
    });

    test('has each setting and list as it was or as it is, if they are changed or removed meanwhile', async ({
      storage,
    }) => {
      const alice = await addUser(storage);
      const of = (podcast: string) => ({ kind: 'podcast', podcast }) as const;
      for (const n of [1, 2]) {
        await storage.settings.update(alice, of(feed(n)), { set: { a: n, b: n }, ...LARGE });
        await storage.lists.create(alice, { name: `list-${n}`, title: `${n}`, urls: [feed(n)] });
      }
      const pages = storage.transfer.exportUser(alice)[Symbol.asyncIterator]();
      await pages.next();
      await storage.settings.update(alice, of(feed(1)), { ...LARGE, set: { a: 3 }, remove: ['b'] });
      await storage.settings.update(alice, of(feed(2)), { ...LARGE, set: {}, remove: ['a', 'b'] });
      await storage.lists.update(alice, 'list-1', () => ({ title: 'One', urls: [] }));
      await storage.lists.delete(alice, 'list-2');
      const exported = await readPages({ [Symbol.asyncIterator]: () => pages });
      const [before, after] = [1, 3].map((a): UserRecord => {
        const values = Object.entries(a === 1 ? { a, b: 1 } : { a });
        return { kind: 'settings', scope: of(feed(1)), values };
      });
      const [settings] = exported;
      assert.ok([before, after].some((each) => JSON.stringify(each) === JSON.stringify(settings)));
      const lists = exported.flatMap((record) => (record.kind === 'list' ? record.list : []));
      assert.ok(lists.some(({ name, title }) => name === 'list-1' && ['1', 'One'].includes(title)));
      assert.ok(lists.every(({ name, urls }) => name !== 'list-2' || urls.length === 1));
      for (const record of exported) if (record.kind === 'settings') assert.notDeepEqual(record.values, []);
    });

    test('rejects with `missing` for an unknown account, and if the account is removed meanwhile', async (bench) => {
      const { storage } = bench;
      const alice = await createFullAccount(bench);
      const pages = storage.transfer.exportUser(alice)[Symbol.asyncIterator]();
      await pages.next();
      await storage.users.delete(alice);
      await rejectsWith('missing', readPages({ [Symbol.asyncIterator]: () => pages }));
      await rejectsWith('missing', exportUser(storage, alice));
    });

    test('rejects with `missing` if an account without a history is removed meanwhile', async ({ storage }) => {
      const alice = await addUser(storage);
      await storage.devices.save(alice, 'phone', {});
      const pages = storage.transfer.exportUser(alice)[Symbol.asyncIterator]();
      await pages.next();
      await storage.users.delete(alice);
      await rejectsWith('missing', readPages({ [Symbol.asyncIterator]: () => pages }));
    });
  });
};
