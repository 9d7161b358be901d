import assert from 'node:assert/strict';
import type { Storage } from '../../../../src/storage/stores.ts';
import { podcastInfo } from '../../../podcasts.ts';
import type { Suite } from '../bench.ts';
import { rejectsWith } from '../expectations.ts';
import { action, add, addUser, feed, feeds, remove, subscribe } from '../samples.ts';
import { exportDirectory } from '../transfer/samples.ts';
import { info, recordFeed, state } from './samples.ts';

/** Subscriber counts; undefined for unknown podcasts. */
const counts = async ({ podcasts }: Storage, ...numbers: number[]): Promise<(number | undefined)[]> =>
  (await podcasts.find(numbers.map(feed))).map((podcast) => podcast?.subscribers);

/** Subscribers of the podcast at its new URL. */
const shown = async ({ podcasts }: Storage): Promise<unknown> =>
  (await podcasts.find([feed('new')])).map((podcast) => podcast?.subscribers);

export const podcastTests: Suite = ({ describe, test }) => {
  describe('a podcast', () => {
    test('is known as soon as anyone subscribes to it, and stays known after unsubscribing', async (bench) => {
      const alice = await addUser(bench.storage);
      await bench.storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await bench.storage.actions.append(alice, [action(1, { podcast: feed(2) }), action(2, { podcast: feed(5) })]);
      await bench.storage.subscriptions.replace(alice, 'phone', [feed(3)]);
      await bench.storage.users.delete(alice);
      for await (const { podcasts } of bench.nowAndReopened()) {
        assert.deepEqual(await podcasts.find([feed(3), feed(4), feed(2), feed(1), feed(3), feed(5)]), [
          { url: feed(3), ...podcastInfo(), subscribers: 0 },
          undefined,
          undefined,
          { url: feed(1), ...podcastInfo(), subscribers: 0 },
          { url: feed(3), ...podcastInfo(), subscribers: 0 },
          undefined,
        ]);
      }
    });

    test('does not become known by unsubscribing', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', [...remove(feed(1)), ...add(feed(2))]);
      for await (const open of nowAndReopened()) assert.deepEqual(await counts(open, 1, 2), [undefined, 1]);
    });

    test('has the latest content of its feed', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await recordFeed(storage, 1, { title: 'Old', tags: ['News'] });
      const last = info({
        title: 'Zoë & 猫 <b>',
        author: '',
        description: "O'Neil\n\u0000".repeat(1000),
        logoUrl: null,
      });
      await recordFeed(storage, 1, last);
      for await (const { podcasts } of nowAndReopened()) {
        assert.deepEqual(await podcasts.find([feed(1)]), [{ url: feed(1), ...last, subscribers: 1 }]);
      }
    });

    test('keeps its content if a fetch returns nothing new', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await recordFeed(storage, 1, { title: 'Good' });
      const failed = state(feed(1), { failures: 1, error: 'the server did not answer' });
      await storage.podcasts.record(feed(1), { state: failed });
      for await (const { podcasts } of nowAndReopened()) {
        assert.equal((await podcasts.find([feed(1)]))[0]?.title, 'Good');
        assert.deepEqual(await podcasts.feed(feed(1)), failed);
      }
    });
  });

  describe('subscribers', () => {
    test('are users, not devices', async ({ storage, nowAndReopened }) => {
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      const { subscriptions } = storage;
      const steps: [() => Promise<unknown>, (number | undefined)[]][] = [
        [() => subscriptions.apply(alice, 'phone', add(feed(1))), [1, undefined]],
        [() => subscriptions.apply(alice, 'tv', add(feed(1), feed(2))), [1, 1]],
        [() => subscriptions.apply(bob, 'phone', add(feed(1))), [2, 1]],
        [() => subscriptions.apply(alice, 'phone', remove(feed(1))), [2, 1]],
        [() => subscriptions.replace(alice, 'tv', [feed(2)]), [1, 1]],
        [() => subscriptions.replace(alice, 'tv', [feed(2), feed(1)]), [2, 1]],
        [() => subscriptions.apply(bob, 'phone', [...remove(feed(1)), ...add(feed(1))]), [2, 1]],
        [() => subscriptions.apply(bob, 'phone', remove(feed(2))), [2, 1]],
      ];
      for (const [change, expected] of steps) {
        await change();
        assert.deepEqual(await counts(storage, 1, 2), expected);
      }
      for await (const open of nowAndReopened()) assert.deepEqual(await counts(open, 1, 2), [2, 1]);
    });

    test('decrease when a user is deleted', async ({ storage, nowAndReopened }) => {
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      for (const user of [alice, bob]) await storage.subscriptions.replace(user, 'phone', feeds(2));
      await storage.users.delete(alice);
      for await (const open of nowAndReopened()) assert.deepEqual(await counts(open, 1, 2), [1, 1]);
    });

    test('are counted through groups of devices', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await storage.subscriptions.apply(alice, 'tv', add(feed(2)));
      await storage.devices.synchronize(alice, [['phone', 'tv']], []);
      await storage.subscriptions.apply(alice, 'tv', remove(feed(1)));
      for await (const open of nowAndReopened()) assert.deepEqual(await counts(open, 1, 2), [0, 1]);
    });

    test('stay exact under concurrent writes', async ({ storage, nowAndReopened }) => {
      const users = await Promise.all(Array.from({ length: 10 }, (_, n) => addUser(storage, `user-${n}`)));
      await Promise.all(
        users.flatMap((user) => ['phone', 'tv'].map((device) => storage.subscriptions.replace(user, device, feeds(5)))),
      );
      await Promise.all(users.slice(4).map((user) => storage.subscriptions.replace(user, 'tv', [])));
      await Promise.all(users.slice(7).map((user) => storage.subscriptions.apply(user, 'phone', remove(feed(2)))));
      for await (const open of nowAndReopened()) assert.deepEqual(await counts(open, 1, 2, 5), [10, 7, 10]);
    });
  });

  describe('a permanently moved feed', () => {
    test('is one podcast with both URLs, the new one being current', async ({ storage, nowAndReopened }) => {
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      await storage.subscriptions.apply(alice, 'phone', add(feed('old'), feed('new')));
      await storage.subscriptions.apply(bob, 'phone', add(feed('old')));
      await recordFeed(storage, 'old', { title: 'Moved' }, [], { movedTo: feed('new') });
      for await (const open of nowAndReopened()) {
        const podcast = { url: feed('new'), ...info({ title: 'Moved' }), subscribers: 2 };
        assert.deepEqual(await open.podcasts.find([feed('old'), feed('new')]), [podcast, podcast]);
        assert.deepEqual(
          (await open.podcasts.top(10)).map(({ url }) => url),
          [feed('new')],
        );
        assert.deepEqual(await open.podcasts.search('moved', 10), [podcast]);
        assert.equal((await open.podcasts.feed(feed('old')))?.url, feed('new'));
        for (const url of [feed('old'), feed('new')]) {
          assert.deepEqual(await open.podcasts.allUrls(url), new Set([feed('new'), feed('old')]));
        }
        assert.deepEqual(await open.podcasts.allUrls(feed('unknown')), new Set([feed('unknown')]));
      }
    });

    test('counts a user under either URL', async ({ storage, reopen }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed('old')));
      await recordFeed(storage, 'old', {}, [], { movedTo: feed('new') });
      assert.deepEqual(await storage.subscriptions.current(alice), [feed('old')], 'the list is as the app sent it');
      await storage.subscriptions.apply(alice, 'tv', add(feed('new')));
      await storage.subscriptions.apply(alice, 'phone', remove(feed('old')));
      assert.deepEqual(await shown(storage), [1]);
      await storage.subscriptions.apply(alice, 'tv', remove(feed('new')));
      assert.deepEqual(await shown(storage), [0]);
      await storage.subscriptions.apply(alice, 'phone', add(feed('old')));
      assert.deepEqual(await shown(await reopen()), [1]);
    });

    for (const [what, to, title] of [
      ['is unknown', 3, 'Known'],
      ['was never read', 2, 'Known'],
      ['was fetched', 1, 'There'],
    ] as const) {
      test(`to a URL that ${what} keeps its content if the fetch returns none`, async (bench) => {
        await subscribe(bench.storage, 'old', 1, 2);
        await recordFeed(bench.storage, 'old', { title: 'Known' });
        await recordFeed(bench.storage, 1, { title: 'There' });
        await bench.storage.podcasts.record(feed('old'), { state: state(feed('old')), movedTo: feed(to) });
        for await (const { podcasts } of bench.nowAndReopened()) {
          assert.equal((await podcasts.find([feed(to)]))[0]?.title, title);
        }
      });
    }

    test('is exported with its former URLs in code-point order', async ({ storage, nowAndReopened }) => {
      await subscribe(storage, 'b');
      for (const [from, to] of ['bc', 'ca', 'ad'] as const) {
        await recordFeed(storage, from!, {}, [], { movedTo: feed(to!) });
      }
      const former = ['a', 'b', 'c'].map(feed);
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await open.podcasts.allUrls(feed('d')), new Set([...former, feed('d')]));
        const [exported] = await exportDirectory(open);
        assert.deepEqual(exported?.kind === 'podcast' && exported.formerUrls, former);
      }
    });

    test('may move on, and back', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      await recordFeed(storage, 1, {}, [], { movedTo: feed(2) });
      await recordFeed(storage, 2, {}, [], { movedTo: feed(3) });
      await recordFeed(storage, 1, { title: 'Home' }, [], { movedTo: feed(1) });
      for await (const { podcasts } of nowAndReopened()) {
        for (const url of feeds(3)) {
          const [podcast] = await podcasts.find([url]);
          assert.deepEqual([podcast?.url, podcast?.title, podcast?.subscribers], [feed(1), 'Home', 1]);
        }
      }
    });
  });

  describe('the metadata of an OPML file', () => {
    test('fills empty fields until the feed is fetched', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1), feed(2)));
      await recordFeed(storage, 2, { title: 'From the feed', website: '' });
      await storage.podcasts.addMetadata([
        { url: feed(1), title: 'From a file', website: 'https://example.org/' },
        { url: feed(2), title: 'From a file', website: 'https://example.org/' },
        { url: feed(9), title: 'Unknown' },
      ]);
      await storage.podcasts.addMetadata([{ url: feed(1), title: 'From another', description: 'Also this' }]);
      for await (const { podcasts } of nowAndReopened()) {
        const [first, second, unknown] = await podcasts.find([feed(1), feed(2), feed(9)]);
        const { title, website, description } = first!;
        assert.deepEqual([title, website, description], ['From a file', 'https://example.org/', 'Also this']);
        for (const text of ['file', 'also']) assert.deepEqual(await podcasts.search(text, 9), [first]);
        assert.deepEqual([second!.title, second!.website], ['From the feed', '']);
        assert.equal(unknown, undefined);
      }
    });

    test('applies to any URL of a podcast', async ({ storage, nowAndReopened }) => {
      await subscribe(storage, 'old');
      const { fetchedAt: _, ...unread } = state(feed('old'));
      await storage.podcasts.record(feed('old'), { state: unread, movedTo: feed('new') });
      await storage.podcasts.addMetadata([{ url: feed('old'), title: 'From a file' }]);
      for await (const { podcasts } of nowAndReopened()) {
        assert.equal((await podcasts.find([feed('new')]))[0]?.title, 'From a file');
      }
    });
  });

  describe('logos', () => {
    test('are found by the hash of their URL', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.apply(alice, 'phone', add(feed(1)));
      assert.equal(await storage.podcasts.logo(LOGO_HASH), undefined);
      await recordFeed(storage, 1, { logoUrl: 'https://podcasts.example/logo.png' });
      for await (const { podcasts } of nowAndReopened()) {
        assert.equal((await podcasts.logo(LOGO_HASH))?.url, 'https://podcasts.example/logo.png');
        assert.equal(await podcasts.logo(LOGO_HASH.replaceAll(/./g, '0')), undefined);
      }
    });

    test('are found as long as any podcast has them', async ({ storage }) => {
      await subscribe(storage, 1, 2, 'new');
      const LOGO = 'https://podcasts.example/logo.png';
      const isFound = async (): Promise<boolean> => (await storage.podcasts.logo(LOGO_HASH))?.url === LOGO;
      for (const n of [1, 2]) await recordFeed(storage, n, { logoUrl: LOGO });
      assert.equal(await isFound(), true);
      await recordFeed(storage, 1, { logoUrl: null });
      assert.equal(await isFound(), true);
      await recordFeed(storage, 2, { logoUrl: 'https://podcasts.example/other.png' }, [], { movedTo: feed('new') });
      assert.equal(await isFound(), false);
    });
  });

  test('a result of an unknown feed is refused', async ({ storage }) => {
    await rejectsWith('missing', recordFeed(storage, 1));
    assert.deepEqual(await storage.podcasts.find([feed(1)]), [undefined]);
  });
};

/** SHA-256 of https://podcasts.example/logo.png */
const LOGO_HASH = 'b5dfda95f3d481be5ddc0090a323bfcb666e2f8f3154b226152ae97c65f283b3';
