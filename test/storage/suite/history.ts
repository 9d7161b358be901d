import assert from 'node:assert/strict';
import type { Suite } from './bench.ts';
import { action, actions, addUser, feed, numberOf, readActions, readNumbers, readPages } from './samples.ts';

/** Uploads of odd sizes, 6,503 actions in all. Every 1,000th is a play on the TV, of a podcast of its own. */
const SIZES = [1, 7, 993, 1000, 1, 1001, 2500, 999, 1];
const LENGTH = SIZES.reduce((sum, size) => sum + size);
const HISTORY = actions(LENGTH).map((each, i) =>
  i % 1000 === 999 ? action(i + 1, { action: 'play', device: 'tv', podcast: feed('rare') }) : each,
);
const RARE = HISTORY.filter(({ device }) => device === 'tv');

export const historyTests: Suite = ({ describe, test }) => {
  describe('a long history', () => {
    test('is complete from each of its marks, in upload order, also after reopening', async (bench) => {
      let { storage } = bench;
      const alice = await addUser(storage);
      const marks = [0];
      let uploaded = 0;
      for (const size of SIZES) {
        await storage.actions.append(alice, HISTORY.slice(uploaded, (uploaded += size)));
        marks.push((await storage.actions.query(alice, {})).mark);
        if (size === 1) storage = await bench.reopen();
      }
      for await (const open of bench.nowAndReopened()) {
        let before = 0;
        for (const [i, since] of marks.entries()) {
          const found = await readActions(open, alice, { since });
          assert.equal(found.length, LENGTH - before, `of ${LENGTH} since upload ${i}`);
          assert.deepEqual(found, HISTORY.slice(before));
          before += SIZES[i] ?? 0;
        }
      }
    });

    test('can be queried with each filter', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.actions.append(alice, HISTORY);
      const latest = action(1000, { ...RARE[0]!, timestamp: 2_000_000_000 });
      await storage.actions.append(alice, [latest]);
      for await (const open of nowAndReopened()) {
        assert.deepEqual(await readActions(open, alice, { device: 'tv' }), [...RARE, latest]);
        assert.deepEqual(await readActions(open, alice, { podcasts: new Set([feed('rare')]) }), [...RARE, latest]);
        assert.deepEqual(await readActions(open, alice, { device: 'tv', latest: true }), [...RARE.slice(1), latest]);
        assert.equal((await readActions(open, alice, { latest: true })).length, LENGTH);
        assert.deepEqual(await readActions(open, alice, { device: 'phone' }), []);
      }
    });

    test('detects a repeat of any age', async ({ storage, nowAndReopened }) => {
      const alice = await addUser(storage);
      await storage.actions.append(alice, HISTORY);
      for await (const open of nowAndReopened()) {
        const { mark } = await open.actions.query(alice, {});
        await open.actions.append(alice, HISTORY.slice(0, 1500));
        await open.actions.append(alice, HISTORY);
        assert.deepEqual(await readNumbers(open, alice, { since: mark }), []);
        assert.equal((await readActions(open, alice)).length, LENGTH);
      }
    });
  });

  test('a late action is stored promptly after 20,000 of the same second whose addresses end alike', async ({
    storage,
  }) => {
    const alice = await addUser(storage);
    const episodes = Array.from(
      { length: 20_000 },
      (_, n) => `https://podcasts.example/${n}/the-audio-of-this-episode.mp3`,
    );
    const many = episodes.map((episode) => action(1, { episode }));
    await storage.actions.append(alice, many.slice(0, 1));
    await storage.actions.append(alice, many); // not later than the first one
    await storage.actions.append(alice, [action(1)]);
    assert.equal((await readActions(storage, alice)).length, many.length + 1);
  });

  describe('pages', () => {
    test('are a snapshot: they do not contain later uploads', async ({ storage }) => {
      const alice = await addUser(storage);
      await storage.subscriptions.replace(alice, 'phone', [feed('rare')]);
      await storage.actions.append(alice, HISTORY.slice(0, 2500));
      const unread = await storage.actions.query(alice, {});
      const half = await storage.actions.query(alice, {});
      const latest = await storage.actions.query(alice, { latest: true });
      const subscribed = await storage.actions.query(alice, { subscribedOn: 'phone' });
      const iterator = half.pages[Symbol.asyncIterator]();
      const first = await iterator.next();
      assert.ok(!first.done);

      await storage.actions.append(alice, HISTORY.slice(2500));
      await storage.actions.append(alice, [action(1, { timestamp: 2_000_000_000 })]);
      await storage.subscriptions.replace(alice, 'phone', []);

      assert.deepEqual(await readPages(unread.pages), HISTORY.slice(0, 2500));
      assert.deepEqual(await readPages(latest.pages), HISTORY.slice(0, 2500));
      assert.deepEqual(await readPages(subscribed.pages), RARE.slice(0, 2));
      const rest = await readPages({ [Symbol.asyncIterator]: () => iterator });
      assert.deepEqual([...first.value, ...rest], HISTORY.slice(0, 2500));
      const later = await readNumbers(storage, alice, { since: unread.mark });
      assert.deepEqual(later, [...HISTORY.slice(2500).map(({ episode }) => numberOf(episode)), 1]);
    });

    test('may be left unread, and do not block writes or closing', async ({ storage, reopen }) => {
      const alice = await addUser(storage);
      await storage.actions.append(alice, HISTORY.slice(0, 2500));
      await storage.actions.query(alice, {});
      const started = await storage.actions.query(alice, {});
      await started.pages[Symbol.asyncIterator]().next();
      for await (const page of (await storage.actions.query(alice, {})).pages) {
        assert.deepEqual(page[0], HISTORY[0]);
        break;
      }
      await storage.actions.append(alice, [action(9999)]);
      assert.equal((await readActions(await reopen(), alice)).length, 2501);
    });
  });
};
