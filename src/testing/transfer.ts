import assert from 'node:assert/strict';
import type { Storage, User, UserRecord } from '../plugin.ts';
import { START, type Suite } from './bench.ts';
import { rejectsWith } from './expectations.ts';
import {
  action,
  actions,
  add,
  addUser,
  feed,
  feeds,
  ODD_TEXTS,
  readPages,
  remove,
  SECRET,
  session,
} from './samples.ts';
import { EMAIL, exportUser, furnish, importUser, NAME, pagesOf } from './transfer-samples.ts';

const LARGE = { remove: [], limit: 10 } as const;

async function namesOf({ users }: Storage): Promise<string[]> {
  const all: User[] = [];
  for await (const user of users.all()) all.push(user);
  return all.map(({ name }) => name);
}

/** Nothing of what `furnish` made can be seen. */
async function isNothing(storage: Storage): Promise<void> {
  assert.deepEqual(await namesOf(storage), []);
  assert.equal(await storage.users.find(NAME), undefined);
  assert.equal(await storage.users.find(EMAIL), undefined);
  assert.equal(await storage.sessions.find(`${SECRET}-a`), undefined);
  assert.deepEqual(await storage.podcasts.find([feed(1), feed('only acted on')]), [undefined, undefined]);
  assert.deepEqual(await storage.podcasts.top(10), []);
}

/** The records, then an error; `look` is called before each page. */
async function* breaking(records: readonly UserRecord[], look = async (): Promise<void> => undefined) {
  for await (const page of pagesOf(records)) {
    await look();
    yield page;
  }
  throw new Error('the file ends here');
}

export const transferTests: Suite = ({ describe, test }) => {
  describe('an export', () => {
    test('tells all of an account, in one order', async ({ storage, clock }) => {
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

    test('goes by code points, and by what a scope names', async (bench) => {
      const records = await exportUser(bench.storage, await furnish(bench));
      assert.deepEqual(
        records.flatMap((record) => (record.kind === 'device' ? record.device.id : [])),
        ['Phone', 'a b', 'car', 'late', 'new one', 'phone', 'tv', '\uff5a', '\u{1d49c}'],
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

    test('is a snapshot: what is written while it is read is not in it', async (bench) => {
      const { storage } = bench;
      const alice = await furnish(bench);
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

    test('rejects with `missing` for nobody, and when the account is removed meanwhile', async (bench) => {
      const { storage } = bench;
      const alice = await furnish(bench);
      const pages = storage.transfer.exportUser(alice)[Symbol.asyncIterator]();
      await pages.next();
      await storage.users.delete(alice);
      await rejectsWith('missing', readPages({ [Symbol.asyncIterator]: () => pages }));
      await rejectsWith('missing', exportUser(storage, alice));
    });

    test('rejects with `missing` also when an account without a history is removed meanwhile', async ({ storage }) => {
      const alice = await addUser(storage);
      await storage.devices.save(alice, 'phone', {});
      const pages = storage.transfer.exportUser(alice)[Symbol.asyncIterator]();
      await pages.next();
      await storage.users.delete(alice);
      await rejectsWith('missing', readPages({ [Symbol.asyncIterator]: () => pages }));
    });
  });

  describe('an import', () => {
    test('makes the account that was exported, to the last record', async (bench) => {
      const alice = await furnish(bench);
      const records = await exportUser(bench.storage, alice);
      const user = await bench.storage.users.find(NAME);
      await bench.storage.transfer.clear();
      const imported = await importUser(bench.storage, records);
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await open.users.find(EMAIL.toUpperCase()), { ...user, id: imported });
        assert.deepEqual(await exportUser(open, imported), records);
      }
    });

    test('takes any text', async ({ storage, nowAndReopened }) => {
      const exports: UserRecord[][] = [];
      for (const text of ODD_TEXTS) {
        const id = await addUser(storage, text);
        await storage.devices.save(id, text, { caption: text });
        await storage.settings.update(id, { kind: 'device', device: text }, { set: { a: text }, ...LARGE });
        const set = Object.fromEntries([[text, text]]);
        await storage.settings.update(id, { kind: 'account' }, { set, ...LARGE });
        await storage.lists.create(id, { name: text, title: text, urls: [] });
        await storage.actions.append(id, [action(1, { device: text, guid: text })]);
        exports.push(await exportUser(storage, id));
        await storage.users.delete(id);
      }
      for (const records of exports) await importUser(storage, records);
      for await (const open of nowAndReopened()) {
        for (const [i, text] of ODD_TEXTS.entries()) {
          assert.deepEqual(await exportUser(open, (await open.users.find(text))!.id), exports[i], text);
        }
      }
    });

    test('shows nothing until it is over, and leaves nothing when it breaks off', async (bench) => {
      const { storage } = bench;
      const records = await exportUser(storage, await furnish(bench));
      await storage.transfer.clear();
      const broken = storage.transfer.importUser(breaking(records, () => isNothing(storage)));
      await assert.rejects(broken, /the file ends here/);
      for await (const open of bench.nowAndReopened()) {
        await isNothing(open);
        const imported = await importUser(open, records);
        assert.deepEqual(await exportUser(open, imported), records);
        await open.transfer.clear();
      }
    });

    test('is refused whole where the storage was closed under it', async (bench) => {
      const records = await exportUser(bench.storage, await furnish(bench));
      await bench.storage.transfer.clear();
      const closing = async function* (): AsyncGenerator<UserRecord[]> {
        yield records.slice(0, -1);
        await bench.storage.close();
        yield records.slice(-1);
      };
      const made = await bench.storage.transfer.importUser(closing()).catch(() => undefined);
      const storage = await bench.reopen();
      if (made === undefined) await isNothing(storage);
      assert.deepEqual(await exportUser(storage, made ?? (await importUser(storage, records))), records);
    });

    test('comes whole or not at all where the storage is cleared under it', async (bench) => {
      const { storage } = bench;
      const records = await exportUser(storage, await furnish(bench));
      const clearing = async function* (): AsyncGenerator<UserRecord[]> {
        yield records.slice(0, -1);
        await storage.transfer.clear();
        yield records.slice(-1);
      };
      await storage.transfer.clear();
      const made = await storage.transfer.importUser(clearing()).catch(() => undefined);
      for await (const open of bench.nowAndReopened()) {
        if (made === undefined) await isNothing(open);
        else assert.deepEqual(await exportUser(open, made), records);
      }
    });

    for (const [what, other] of [
      ['name', { name: NAME.toUpperCase() }],
      ['e-mail address', { name: 'bob', email: EMAIL.toUpperCase() }],
      ['name, as an e-mail address,', { name: 'bob', email: NAME }],
    ] as const) {
      for (const when of ['before', 'while it was read'] as const) {
        test(`is refused where its ${what} was taken ${when}, and leaves nothing`, async (bench) => {
          const { storage } = bench;
          const records = await exportUser(storage, await furnish(bench));
          await storage.transfer.clear();
          const take = () => storage.users.create({ ...other, passwordHash: 'hash' });
          const taking = async function* (): AsyncGenerator<UserRecord[]> {
            for await (const page of pagesOf(records)) {
              yield page;
              if (page.includes(records.at(-1)!)) await take();
            }
          };
          if (when === 'before') await take();
          const pages = when === 'before' ? pagesOf(records) : taking();
          await rejectsWith('conflict', storage.transfer.importUser(pages));
          for await (const open of bench.nowAndReopened()) {
            assert.deepEqual(await namesOf(open), [other.name]);
            const { id } = (await open.users.find(other.name))!;
            assert.deepEqual(await open.devices.all(id), []);
            assert.deepEqual(await open.podcasts.find([feed(1)]), [undefined]);
            assert.equal(await open.sessions.find(`${SECRET}-a`), undefined);
          }
        });
      }
    }

    test('of several under one name at once makes one account', async (bench) => {
      const { storage } = bench;
      const records = await exportUser(storage, await furnish(bench));
      await storage.transfer.clear();
      const results = await Promise.allSettled([1, 2, 3].map(() => importUser(storage, records)));
      for (const result of results) {
        if (result.status === 'rejected') await rejectsWith('conflict', Promise.reject(result.reason as Error));
      }
      const [made, ...others] = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      assert.deepEqual(others, []);
      for await (const open of bench.nowAndReopened()) assert.deepEqual(await exportUser(open, made!), records);
    });

    test('needs the user first', async (bench) => {
      const records = await exportUser(bench.storage, await furnish(bench));
      await bench.storage.transfer.clear();
      for (const headless of [[], records.slice(1)]) {
        await rejectsWith('corrupt', importUser(bench.storage, headless));
      }
      await isNothing(bench.storage);
    });

    test('leaves a session that exists to whom it belongs', async (bench) => {
      const { storage } = bench;
      const alice = await furnish(bench);
      const [first, ...records] = await exportUser(storage, alice);
      const copy = await importUser(storage, [
        { ...(first as object), name: 'copy', email: 'copy@example.org' } as UserRecord,
        ...records,
      ]);
      for await (const open of bench.nowAndReopened()) {
        assert.equal((await open.sessions.find(`${SECRET}-a`))?.user.id, alice);
        assert.deepEqual(await open.sessions.all(copy), []);
      }
    });

    test('is removed like any other account', async (bench) => {
      const { storage } = bench;
      const records = await exportUser(storage, await furnish(bench));
      await storage.transfer.clear();
      await storage.users.delete(await importUser(storage, records));
      for await (const open of bench.nowAndReopened()) {
        assert.deepEqual(await namesOf(open), []);
        assert.deepEqual(await open.podcasts.top(10), []);
        assert.equal(await open.sessions.find(`${SECRET}-a`), undefined);
      }
    });
  });
};
