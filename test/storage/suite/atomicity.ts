import assert from 'node:assert/strict';
import { isStorageError } from '../../../src/storage/errors.ts';
import type { Suite } from './bench.ts';
import { episodes, recordFeed } from './directory/samples.ts';
import { rejectsWith, watch } from './expectations.ts';
import { action, actions, add, addUser, feed, feeds, readActions, readNumbers, session, subscribe } from './samples.ts';

const MANY = 2000;

export const atomicityTests: Suite = ({ describe, test }) => {
  describe('a reader sees an upload completely or not at all', () => {
    for (const [what, before, upload] of [
      ['a delta', [], 'apply'],
      ['a whole list', feeds(MANY, 1 + MANY), 'replace'],
    ] as const) {
      test(what, async ({ storage }) => {
        const alice = await addUser(storage);
        const { subscriptions, devices } = storage;
        const after = feeds(MANY);
        if (before.length > 0) await subscriptions.replace(alice, 'phone', before);
        const { mark } = await subscriptions.since(alice, 'phone', 0);
        const changes = MANY + before.length;
        const work =
          upload === 'apply'
            ? subscriptions.apply(alice, 'phone', add(...after))
            : subscriptions.replace(alice, 'phone', after);
        await watch(work, async () => {
          const urls = await subscriptions.current(alice, 'phone');
          assert.ok(urls.length === before.length || urls.length === MANY, `${urls.length} feeds`);
          if (urls.length > 0) assert.ok(urls[0] === before[0] || urls[0] === after[0]);
          const { items } = await subscriptions.since(alice, 'phone', mark);
          assert.ok(items.length === 0 || items.length === changes, `${items.length} of ${changes} changes`);
          const counts = (await devices.all(alice)).map((device) => device.subscriptions);
          assert.ok(
            counts.every((count) => count === before.length || count === MANY),
            `counts ${counts}`,
          );
        });
        assert.deepEqual(await subscriptions.current(alice, 'phone'), after);
        assert.equal((await subscriptions.since(alice, 'phone', mark)).items.length, changes);
      });
    }

    test('episode actions', async ({ storage }) => {
      const alice = await addUser(storage);
      await watch(storage.actions.append(alice, actions(MANY, 1, { device: 'phone' })), async () => {
        const before = await storage.devices.find(alice, 'phone');
        const found = await readActions(storage, alice);
        const after = await storage.devices.find(alice, 'phone');
        assert.ok(found.length === 0 || found.length === MANY, `${found.length} of ${MANY} actions`);
        if (before) assert.equal(found.length, MANY, 'the device is visible before its actions');
        if (found.length > 0) assert.ok(after, 'the actions are there before their device');
      });
      assert.equal((await readActions(storage, alice)).length, MANY);
    });
  });

  test('after a password change no old session is visible', async ({ storage, clock }) => {
    const alice = await addUser(storage);
    const old = session(alice, 'old', clock.at + 100);
    await storage.sessions.save(old);
    await watch(storage.users.update(alice, { passwordHash: 'new hash' }), async () => {
      const found = await storage.sessions.find(old.digest);
      assert.notEqual(found?.user.passwordHash, 'new hash');
    });
    assert.equal(await storage.sessions.find(old.digest), undefined);
  });

  test('a reader sees the result of a feed completely or not at all', async ({ storage }) => {
    await subscribe(storage, 1);
    await watch(recordFeed(storage, 1, { title: 'Read' }, episodes(500)), async () => {
      const [podcast] = await storage.podcasts.find([feed(1)]);
      const found = await storage.podcasts.episodes(feed(1), 1000);
      if (podcast?.title === 'Read') assert.equal(found.length, 500, 'the title is visible before the episodes');
    });
  });

  describe('what cannot be stored leaves nothing behind', () => {
    for (const [what, text] of [
      ['a NUL', 'a\u0000b'],
      ['half a character', 'a\ud800b'],
      ['a megabyte', 'x'.repeat(1_000_000)],
    ] as const) {
      test(`${what} in the last of several actions`, async ({ storage, nowAndReopened }) => {
        const alice = await addUser(storage);
        const mark = await storage.actions.append(alice, [action(1, { device: 'phone' })]);
        const batch = [action(2, { device: 'tv' }), action(3), action(4, { guid: text })];
        const isStored = await storage.actions.append(alice, batch).then(
          () => true,
          () => false,
        );
        for await (const open of nowAndReopened()) {
          assert.deepEqual(await readActions(open, alice, { since: mark }), isStored ? batch : []);
          assert.equal((await open.devices.find(alice, 'tv')) !== undefined, isStored);
          if (!isStored) assert.equal((await open.actions.query(alice, {})).mark, mark, 'a stamp was used up');
        }
      });
    }

    for (const [what, text] of [
      ['a NUL', 'a\u0000b'],
      ['half a character', 'a\ud800b'],
    ] as const) {
      test(`${what} in a device caption`, async ({ storage, nowAndReopened }) => {
        const alice = await addUser(storage);
        const phone = await storage.devices.save(alice, 'phone', { caption: 'My phone' });
        const odd = { caption: text, type: 'mobile' } as const;
        const saved = await storage.devices.save(alice, 'phone', odd).catch(() => undefined);
        for await (const { devices } of nowAndReopened()) {
          assert.deepEqual(await devices.find(alice, 'phone'), saved ? { id: 'phone', ...odd } : phone);
        }
      });

      test(`${what} in the title of a list`, async ({ storage, nowAndReopened }) => {
        const alice = await addUser(storage);
        const odd = { name: 'news', title: text, urls: [feed(1)] };
        const isStored = await storage.lists.create(alice, odd).then(
          () => true,
          () => false,
        );
        for await (const { lists } of nowAndReopened()) {
          assert.deepEqual(await lists.find(alice, 'news'), isStored ? odd : undefined);
          assert.deepEqual(await lists.all(alice), isStored ? [{ name: 'news', title: text }] : []);
        }
      });

      test(`${what} in the key of a setting`, async ({ storage, nowAndReopened }) => {
        const alice = await addUser(storage);
        const account = { kind: 'account' } as const;
        const set = { [text]: 1, other: 2 };
        const left = await storage.settings.update(alice, account, { set, remove: [], limit: 9 }).catch(() => ({}));
        for await (const { settings } of nowAndReopened()) {
          assert.deepEqual(await settings.get(alice, account), left);
          if (!left || !(text in left)) continue;
          assert.deepEqual(await settings.withKey(alice, 'account', text), [{ scope: account, value: 1 }]);
          await settings.update(alice, account, { set: {}, remove: [text], limit: 9 });
          assert.deepEqual(await settings.get(alice, account), { other: 2 });
          await settings.update(alice, account, { set, remove: [], limit: 9 });
        }
      });
    }
  });

  test('of accounts created concurrently with one name, one is created', async ({ storage }) => {
    const names = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? 'alice' : 'ALICE'));
    const results = await Promise.allSettled(names.map((name) => addUser(storage, name)));
    const created = results.filter(({ status }) => status === 'fulfilled');
    assert.equal(created.length, 1);
    for (const result of results) {
      if (result.status === 'rejected') await rejectsWith('conflict', Promise.reject(result.reason as Error));
    }
    assert.equal((await storage.users.find('alice'))?.id, (created[0] as PromiseFulfilledResult<string>).value);
  });

  test('of concurrent renames and creations with one name, one succeeds', async ({ storage }) => {
    const users = await Promise.all(['alice', 'bob', 'carol'].map((name) => addUser(storage, name)));
    const results = await Promise.allSettled([
      ...users.map((user, i) => storage.users.update(user, { name: i === 1 ? 'DAVE' : 'dave' })),
      addUser(storage, 'dave'),
    ]);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) {
      if (result.status === 'rejected') await rejectsWith('conflict', Promise.reject(result.reason as Error));
    }
  });

  test('of concurrently uploaded lists, one is stored in the end', async ({ storage }) => {
    const alice = await addUser(storage);
    const lists = [feeds(3, 1), feeds(3, 11), feeds(3, 21)];
    await Promise.all(lists.map((urls) => storage.subscriptions.replace(alice, 'phone', urls)));
    const current = await storage.subscriptions.current(alice, 'phone');
    assert.ok(
      lists.some((urls) => urls.join(' ') === current.join(' ')),
      `a mixture: ${current}`,
    );
  });

  test('concurrent patches of one device are all kept', async ({ storage }) => {
    const alice = await addUser(storage);
    await Promise.all([
      storage.devices.save(alice, 'phone', { caption: 'My phone' }),
      storage.devices.save(alice, 'phone', { type: 'mobile' }),
      storage.devices.save(alice, 'phone', {}),
      storage.subscriptions.apply(alice, 'phone', add(feed(1))),
      storage.actions.append(alice, [action(1, { device: 'phone' })]),
    ]);
    const phone = { id: 'phone', caption: 'My phone', type: 'mobile', subscriptions: 1 };
    assert.deepEqual(await storage.devices.all(alice), [phone]);
  });

  test('an upload for a user who is being deleted is refused or deleted with the rest', async ({ storage, reopen }) => {
    const alice = await addUser(storage);
    await storage.actions.append(alice, actions(100));
    const results = await Promise.allSettled([
      storage.actions.append(alice, actions(500, 101)),
      storage.users.delete(alice),
      storage.subscriptions.apply(alice, 'phone', add(...feeds(500))),
      storage.devices.save(alice, 'tv', {}),
    ]);
    assert.equal(results[1]!.status, 'fulfilled');
    for (const result of results) if (result.status === 'rejected') assert.ok(isStorageError(result.reason));
    const reopened = await reopen();
    assert.equal(await reopened.users.find('alice'), undefined);
    const next = await addUser(reopened, 'alice');
    assert.deepEqual(await readNumbers(reopened, next), []);
    assert.deepEqual(await reopened.devices.all(next), []);
    assert.deepEqual(await reopened.subscriptions.current(next), []);
  });
};
