import assert from 'node:assert/strict';
import type { Json, SettingScope, Url, UserId } from '../../../../src/domain/types.ts';
import type { Storage } from '../../../../src/storage/stores.ts';
import type { Suite } from '../bench.ts';
import { action, add, addUser, feed, numbersOf, remove } from '../samples.ts';
import { exportDirectory, exportUser, importDirectory, importUser } from '../transfer/samples.ts';
import { recordFeed } from './samples.ts';

const LOGO = 'https://podcasts.example/logo.png';
const TOKENISED = 'https://www.patreon.com/rss/show?auth=personal';

/** Numbers of the public podcasts, the same in every listing. */
async function listed({ podcasts }: Storage): Promise<number[]> {
  const found = numbersOf(await podcasts.top(100)).toSorted((a, b) => a - b);
  const byUrl = await podcasts.findListed(Array.from({ length: 9 }, (_, at) => feed(at + 1)));
  const ways = [
    byUrl.flatMap((podcast) => podcast ?? []),
    await podcasts.search('podcast', 100),
    await podcasts.search(feed('').slice(0, -1), 100),
    await podcasts.byTag('news', 100),
  ];
  for (const way of ways) assert.deepEqual([...new Set(numbersOf(way))].toSorted(), found);
  assert.equal((await podcasts.topTags(1))[0]?.usage ?? 0, found.length);
  return found;
}

/** Creates a user who subscribes to these feeds, and stores their content. */
async function subscribe(storage: Storage, name: string, ...numbers: number[]): Promise<UserId> {
  const user = await addUser(storage, name);
  await storage.subscriptions.apply(user, 'phone', add(...numbers.map(feed)));
  for (const n of numbers) await recordFeed(storage, n, { tags: ['News'], logoUrl: LOGO });
  return user;
}

const set = (
  { settings }: Storage,
  user: UserId,
  key: string,
  value: Json | undefined,
  scope: SettingScope = { kind: 'account' },
): Promise<unknown> =>
  settings.update(user, scope, {
    set: value === undefined ? {} : { [key]: value },
    remove: value === undefined ? [key] : [],
    limit: 9,
  });

const mark = (storage: Storage, user: UserId, podcast: Url, value: Json | undefined): Promise<unknown> =>
  set(storage, user, 'public_subscription', value, { kind: 'podcast', podcast });

export const listingTests: Suite = ({ describe, test }) => {
  describe('a podcast is listed', () => {
    test('while anyone subscribes to it', async ({ storage, nowAndReopened }) => {
      const alice = await subscribe(storage, 'alice', 1, 2, 3);
      const bob = await subscribe(storage, 'bob', 3, 4);
      await storage.actions.append(alice, [action(1, { podcast: feed(5) })]);
      assert.deepEqual(await listed(storage), [1, 2, 3, 4]);
      await storage.subscriptions.apply(alice, 'phone', remove(feed(2)));
      assert.deepEqual(await listed(storage), [1, 3, 4]);
      await storage.users.delete(bob);
      for await (const open of nowAndReopened()) assert.deepEqual(await listed(open), [1, 3]);
    });

    for (const key of ['public_profile', 'public_subscriptions']) {
      test(`unless its subscribers have set ${key} to false`, async ({ storage, reopen }) => {
        const alice = await subscribe(storage, 'alice', 1, 2);
        const bob = await subscribe(storage, 'bob', 2);
        await set(storage, alice, key, false);
        assert.deepEqual(await listed(storage), [2]);
        assert.deepEqual(await storage.subscriptions.listed(alice), []);
        assert.equal((await storage.podcasts.findListed([feed(2)]))[0]?.subscribers, 2);
        await storage.subscriptions.apply(alice, 'tablet', add(feed(3)));
        await storage.subscriptions.apply(alice, 'phone', remove(feed(1)));
        await recordFeed(storage, 3, { tags: ['News'] });
        await storage.users.delete(bob);
        assert.deepEqual(await listed(storage), []);
        const open = await reopen();
        assert.deepEqual(await listed(open), []);
        await set(open, alice, key, undefined);
        assert.deepEqual(await listed(open), [2, 3]);
        assert.deepEqual(await open.podcasts.rebuildToplist(), { podcasts: 2, corrected: 0 });
        assert.deepEqual(await listed(await reopen()), [2, 3]);
      });
    }

    test('unless its subscribers have marked it as private', async ({ storage, nowAndReopened }) => {
      const alice = await subscribe(storage, 'alice', 1, 2);
      await mark(storage, alice, feed(1), false);
      await mark(storage, alice, feed(3), false);
      await storage.subscriptions.apply(alice, 'phone', add(feed(3), feed(4)));
      for (const n of [3, 4]) await recordFeed(storage, n, { tags: ['News'] });
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await listed(open), [2, 4]);
        assert.deepEqual(numbersOf((await open.subscriptions.listed(alice)).map((url) => ({ url }))), [2, 4]);
      }
    });

    test('if a subscriber has marked it as public, despite a private default', async ({ storage, reopen }) => {
      const alice = await subscribe(storage, 'alice', 1, 2);
      await set(storage, alice, 'public_subscriptions', false);
      await mark(storage, alice, feed(2), true);
      assert.deepEqual(await listed(storage), [2]);
      await mark(storage, alice, feed(2), 'true');
      assert.deepEqual(await listed(storage), []);
      const open = await reopen();
      await mark(open, alice, feed(2), true);
      await set(open, alice, 'public_profile', false);
      assert.deepEqual(await listed(open), []);
    });

    test('according to the settings with which an account is created', async ({ storage }) => {
      const settings = { public_subscriptions: false };
      const { id } = await storage.users.create({ name: 'alice', passwordHash: 'x' }, settings);
      await storage.subscriptions.apply(id, 'phone', add(feed(1)));
      assert.deepEqual(await storage.podcasts.top(9), []);
    });

    test('as before after an account was moved', async ({ storage, reopen }) => {
      const alice = await subscribe(storage, 'alice', 1, 2, 3);
      await mark(storage, alice, feed(1), false);
      const records = await exportUser(storage, alice);
      await storage.users.delete(alice);
      assert.deepEqual(await listed(storage), []);
      const moved = await importUser(storage, records);
      assert.deepEqual(await listed(storage), [2, 3]);
      const open = await reopen();
      assert.deepEqual(await listed(open), [2, 3]);
      await mark(open, moved, feed(1), true);
      assert.deepEqual(await listed(open), [1, 2, 3]);
    });

    test('unless its publisher blocks it', async ({ storage, reopen }) => {
      await subscribe(storage, 'alice', 1, 2);
      await recordFeed(storage, 1, { tags: ['News'], blocked: true });
      assert.deepEqual(await listed(storage), [2]);
      const open = await reopen();
      assert.deepEqual(await listed(open), [2]);
      await recordFeed(open, 1, { tags: ['News'] });
      assert.deepEqual(await listed(open), [1, 2]);
    });

    test('at a secret-looking address only with three subscribers', async ({ storage, nowAndReopened }) => {
      const urls = async (open: Storage): Promise<Url[]> => (await open.podcasts.top(9)).map(({ url }) => url);
      for (const name of ['alice', 'bob', 'carol']) {
        assert.deepEqual(await urls(storage), []);
        assert.deepEqual(await storage.podcasts.withoutSecrets([TOKENISED, feed(1)]), [feed(1)]);
        await storage.subscriptions.apply(await addUser(storage, name), 'phone', add(TOKENISED));
      }
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await urls(open), [TOKENISED]);
        assert.deepEqual(await open.podcasts.withoutSecrets([TOKENISED]), [TOKENISED]);
      }
    });
  });

  describe('a podcast that moves', () => {
    test('to a secret-looking address is unlisted', async ({ storage, nowAndReopened }) => {
      const alice = await subscribe(storage, 'alice', 1);
      await recordFeed(storage, 1, { tags: ['News'] }, [], { movedTo: TOKENISED });
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await listed(open), []);
        assert.deepEqual(await open.subscriptions.listed(alice), []);
      }
    });

    test('from a secret-looking address is listed, but not that address', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(TOKENISED));
      await storage.podcasts.record(TOKENISED, {
        state: { url: TOKENISED, intervalSeconds: 1, failures: 0 },
        movedTo: feed(1),
      });
      await recordFeed(storage, 1, { tags: ['News'] });
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await listed(open), [1]);
        assert.deepEqual(await open.subscriptions.listed(alice), []);
      }
    });

    test('stays private for users who marked any of its addresses', async ({ storage, reopen }) => {
      const alice = await subscribe(storage, 'alice', 1, 2);
      await mark(storage, alice, feed(1), false);
      await recordFeed(storage, 1, { tags: ['News'] }, [], { movedTo: feed(2) });
      assert.deepEqual(await listed(storage), []);
      await storage.subscriptions.apply(alice, 'phone', remove(feed(1), feed(2)));
      await storage.subscriptions.apply(alice, 'phone', add(feed(2)));
      assert.deepEqual(await listed(storage), []);
      const open = await reopen();
      assert.deepEqual(await listed(open), []);
      await subscribe(open, 'bob', 1);
      assert.deepEqual(await listed(open), [2]);
    });

    test('stays private for users who marked another of its addresses before it moved', async ({
      storage,
      nowAndReopened,
    }) => {
      const alice = await subscribe(storage, 'alice', 2);
      await subscribe(storage, 'bob', 1);
      await mark(storage, alice, feed(1), false);
      await recordFeed(storage, 1, { tags: ['News'] }, [], { movedTo: feed(2) });
      await storage.users.delete((await storage.users.find('bob'))!.id);
      for await (const open of nowAndReopened()) assert.deepEqual(await listed(open), []);
    });

    test('stays private for users who then keep only an address that they did not mark', async ({ storage }) => {
      const alice = await subscribe(storage, 'alice', 1, 2);
      await mark(storage, alice, feed(2), false);
      await recordFeed(storage, 1, { tags: ['News'] }, [], { movedTo: feed(2) });
      await storage.subscriptions.apply(alice, 'phone', remove(feed(2)));
      assert.deepEqual(await listed(storage), []);
    });

    test('stays private in a copy of the accounts and the directory', async ({ storage }) => {
      const alice = await subscribe(storage, 'alice', 1);
      await mark(storage, alice, feed(1), false);
      await recordFeed(storage, 1, { tags: ['News'] }, [], { movedTo: feed(2) });
      await storage.subscriptions.replace(alice, 'phone', [feed(2)]);
      const [account, directory] = [await exportUser(storage, alice), await exportDirectory(storage)];
      await storage.transfer.clear();
      await importUser(storage, account);
      await importDirectory(storage, directory);
      assert.deepEqual(await listed(storage), []);
    });
  });

  test('an account may see podcasts that it subscribes to or has actions for, by any address', async ({ storage }) => {
    const alice = await subscribe(storage, 'alice', 1, 2);
    const bob = await addUser(storage, 'bob');
    await storage.actions.append(alice, [action(1, { podcast: feed(3) })]);
    await recordFeed(storage, 1, {}, [], { movedTo: feed(4) });
    const urls = [feed(1), feed(4), feed(2), feed(3), feed(5)];
    assert.deepEqual(await storage.podcasts.areUsedBy(alice, urls), [true, true, true, true, false]);
    assert.deepEqual(await storage.podcasts.areUsedBy(bob, urls), [false, false, false, false, false]);
  });

  test('a logo is public while a listed podcast has it', async ({ storage }) => {
    const hash = 'b5dfda95f3d481be5ddc0090a323bfcb666e2f8f3154b226152ae97c65f283b3';
    const alice = await subscribe(storage, 'alice', 1, 2);
    const isListed = async () => (await storage.podcasts.logo(hash))?.isListed;
    assert.equal(await isListed(), true);
    await mark(storage, alice, feed(1), false);
    assert.equal(await isListed(), true);
    await set(storage, alice, 'public_subscriptions', false);
    const podcasts = [feed(1), feed(2)];
    assert.deepEqual(await storage.podcasts.logo(hash), { url: LOGO, podcasts, isListed: false });
  });
};
