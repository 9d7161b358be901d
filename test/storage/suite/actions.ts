import assert from 'node:assert/strict';
import type { EpisodeAction } from '../../../src/domain/types.ts';
import type { ActionQuery } from '../../../src/storage/stores.ts';
import type { Suite } from './bench.ts';
import { action, addUser, feed, ODD_TEXTS, readActions, readNumbers } from './samples.ts';

const LARGEST = 2 ** 31 - 1;
/** The end of the year 9999. */
const LATEST = 253_402_300_799;

/** One action of every shape. */
const SHAPES: readonly EpisodeAction[] = [
  action(1),
  action(2, { device: 'phone', guid: 'tag:example.org,2024:2' }),
  action(3, { action: 'delete', timestamp: 0 }),
  action(4, { action: 'new', timestamp: LATEST }),
  action(5, { action: 'play' }),
  action(6, { action: 'play', play: { position: 0 } }),
  action(7, { action: 'play', play: { position: 120 }, guid: ODD_TEXTS.join('\n') }),
  action(8, { action: 'play', play: { position: 120, started: 0, total: 0 } }),
  action(9, { action: 'play', play: { position: LARGEST, started: LARGEST, total: LARGEST }, device: 'tv' }),
  action(10, { podcast: feed('x'.repeat(8000)), episode: feed('y'.repeat(8000)) }),
];

const PLAYED = action(1, { action: 'play', device: 'phone', play: { position: 20, started: 10, total: 30 } });
const { device: _device, ...PLAYED_SOMEWHERE } = PLAYED;
const { play: _play, ...PLAYED_SOMEHOW } = PLAYED;

export const actionTests: Suite = ({ describe, test }) => {
  describe('appending', () => {
    test('keeps every field, and the order of upload', async ({ storage, reopen }) => {
      const alice = await addUser(storage);
      await storage.actions.append(alice, SHAPES.slice(0, 4).toReversed());
      await storage.actions.append(alice, []);
      await storage.actions.append(alice, SHAPES.slice(4));
      const uploaded = [...SHAPES.slice(0, 4).toReversed(), ...SHAPES.slice(4)];
      assert.deepEqual(await readActions(storage, alice), uploaded);
      assert.deepEqual(await readActions(await reopen(), alice), uploaded);
    });

    test('belongs to one user', async ({ storage }) => {
      const [alice, bob] = [await addUser(storage, 'alice'), await addUser(storage, 'bob')];
      await storage.actions.append(alice, [action(1)]);
      await storage.actions.append(bob, [action(1), action(2)]);
      assert.deepEqual(await readNumbers(storage, alice), [1]);
      assert.deepEqual(await readNumbers(storage, bob), [1, 2]);
    });
  });

  describe('a repeat', () => {
    test('is stored once, also after reopening', async ({ storage, reopen, nowAndReopened }) => {
      const alice = await addUser(storage);
      const mark = await storage.actions.append(alice, SHAPES.slice(0, 3));
      for await (const { actions } of nowAndReopened()) {
        await actions.append(alice, SHAPES.slice(0, 3));
        const { pages } = await actions.query(alice, { since: mark });
        for await (const page of pages) assert.fail(`uploaded once more: ${page.length}`);
      }
      await (await reopen()).actions.append(alice, SHAPES);
      assert.deepEqual(await readActions(await reopen(), alice), SHAPES);
    });

    test('is stored once inside one batch', async ({ storage }) => {
      const alice = await addUser(storage);
      await storage.actions.append(alice, [action(2), action(1), action(2), action(2), action(1), action(3)]);
      assert.deepEqual(await readNumbers(storage, alice), [2, 1, 3]);
    });

    test('does not change the first, and the rest of its batch is new', async ({ storage }) => {
      const alice = await addUser(storage);
      const first = await storage.actions.append(alice, [action(1), action(2)]);
      const { mark } = await storage.actions.query(alice, {});
      await storage.actions.append(alice, [action(3), action(2), action(4)]);
      assert.deepEqual(await readNumbers(storage, alice), [1, 2, 3, 4]);
      assert.deepEqual(await readNumbers(storage, alice, { since: first }), [3, 4]);
      assert.deepEqual(await readNumbers(storage, alice, { since: mark }), [3, 4]);
    });

    test('is detected among later and earlier times, in any order of upload', async ({ storage, reopen }) => {
      const UPLOADS = [[5, 6], [7, 8], [6, 8], [1], [9], [10, 11], [9, 1, 2, 11, 3], [12], [5, 12, 2, 4], [4, 13, 12]];
      for (const isReopened of [false, true]) {
        const user = await addUser(storage, isReopened ? 'bob' : 'alice');
        for (const numbers of UPLOADS) {
          await storage.actions.append(
            user,
            numbers.map((n) => action(n)),
          );
          if (isReopened) storage = await reopen();
        }
        assert.deepEqual(await readNumbers(storage, user), [5, 6, 7, 8, 1, 9, 10, 11, 2, 3, 12, 4, 13]);
      }
    });

    test('is detected if the clock of its device is ahead', async ({ storage, clock, nowAndReopened }) => {
      const alice = await addUser(storage);
      const actions = [action(1, { timestamp: clock.at + 7200 }), action(2, { timestamp: clock.at + 7201 })];
      await storage.actions.append(alice, actions);
      for await (const current of nowAndReopened()) {
        clock.at += 3600;
        for (const repeat of actions) await current.actions.append(alice, [repeat]);
        assert.deepEqual(await readActions(current, alice), actions);
      }
    });

    test('is detected after many uploads in the order of time', async ({ storage }) => {
      const alice = await addUser(storage);
      const numbers = Array.from({ length: 250 }, (_, n) => n + 1);
      for (const n of numbers) await storage.actions.append(alice, [action(n)]);
      for (const n of [1, 125, 250]) await storage.actions.append(alice, [action(n)]);
      assert.deepEqual(await readNumbers(storage, alice), numbers);
    });

    test('is detected regardless of its GUID, and the first GUID is kept', async ({ storage }) => {
      const alice = await addUser(storage);
      const known = action(1, { guid: 'first' });
      await storage.actions.append(alice, [known, action(2), action(1, { guid: 'second' })]);
      await storage.actions.append(alice, [action(1, { guid: 'third' }), action(1), action(2, { guid: 'late' })]);
      assert.deepEqual(await readActions(storage, alice), [known, action(2)]);
    });

    for (const [field, other] of [
      ['podcast', { ...PLAYED, podcast: feed(2) }],
      ['episode', { ...PLAYED, episode: action(2).episode }],
      ['device', { ...PLAYED, device: 'Phone' }],
      ['device (none)', PLAYED_SOMEWHERE],
      ['device (called null)', { ...PLAYED, device: 'null' }],
      ['device (called undefined)', { ...PLAYED, device: 'undefined' }],
      ['action', { ...PLAYED_SOMEHOW, action: 'download' }],
      ['timestamp', { ...PLAYED, timestamp: PLAYED.timestamp + 1 }],
      ['position', { ...PLAYED, play: { ...PLAYED.play!, position: 21 } }],
      ['started', { ...PLAYED, play: { ...PLAYED.play!, started: 11 } }],
      ['total', { ...PLAYED, play: { ...PLAYED.play!, total: 31 } }],
      ['started and total (none)', { ...PLAYED, play: { position: 20 } }],
      ['play (none)', PLAYED_SOMEHOW],
      [
        'fields that read the same when joined',
        { ...PLAYED, podcast: `${PLAYED.podcast}${PLAYED.episode}`, episode: '' },
      ],
    ] as const) {
      test(`is not one if it differs in ${field}`, async ({ storage }) => {
        const alice = await addUser(storage);
        const both: EpisodeAction[] = [PLAYED, other];
        await storage.actions.append(alice, both);
        await storage.actions.append(alice, both.toReversed());
        assert.deepEqual(await readActions(storage, alice), both);
      });
    }

    test('no device, "null" and "undefined" are three different devices', async ({ storage }) => {
      const alice = await addUser(storage);
      const all = [action(1), action(1, { device: 'null' }), action(1, { device: 'undefined' })];
      for (const each of all) await storage.actions.append(alice, [each]);
      assert.deepEqual(await readActions(storage, alice), all);
    });
  });

  describe('a query', () => {
    const [ONE, TWO] = [feed(1), feed(2)];
    const UPLOADS: readonly (readonly EpisodeAction[])[] = [
      [
        action(1, { device: 'phone', timestamp: 500 }),
        action(2, { device: 'tv', timestamp: 100 }),
        action(3, { podcast: TWO, device: 'phone', timestamp: 100 }),
      ],
      [
        action(1, { device: 'tv', timestamp: 400 }),
        action(1, { podcast: TWO, device: 'tv', timestamp: 900 }),
        action(3, { podcast: TWO, timestamp: 100, action: 'delete' }),
      ],
      [
        action(2, { device: 'phone', timestamp: 100, action: 'new' }),
        action(1, { device: 'phone', timestamp: 300, action: 'delete' }),
      ],
    ];
    /** Expected actions as upload and index, such as `0.2`; `since` is the number of an upload. */
    const QUERIES: readonly (readonly [ActionQuery, string])[] = [
      [{}, '0.0 0.1 0.2 1.0 1.1 1.2 2.0 2.1'],
      [{ since: 0 }, '0.0 0.1 0.2 1.0 1.1 1.2 2.0 2.1'],
      [{ since: 1 }, '1.0 1.1 1.2 2.0 2.1'],
      [{ since: 2 }, '2.0 2.1'],
      [{ since: 3 }, ''],
      [{ podcasts: new Set([ONE]) }, '0.0 0.1 1.0 2.0 2.1'],
      [{ podcasts: new Set([TWO]) }, '0.2 1.1 1.2'],
      [{ podcasts: new Set([TWO, feed(3)]) }, '0.2 1.1 1.2'],
      [{ podcasts: new Set([feed(3)]) }, ''],
      [{ device: 'phone' }, '0.0 0.2 2.0 2.1'],
      [{ device: 'tv' }, '0.1 1.0 1.1'],
      [{ device: 'PHONE' }, ''],
      [{ latest: false }, '0.0 0.1 0.2 1.0 1.1 1.2 2.0 2.1'],
      [{ latest: true }, '0.0 1.1 1.2 2.0'],
      [{ podcasts: new Set([ONE]), device: 'phone' }, '0.0 2.0 2.1'],
      [{ podcasts: new Set([ONE]), since: 1 }, '1.0 2.0 2.1'],
      [{ device: 'tv', since: 1 }, '1.0 1.1'],
      [{ latest: true, since: 1 }, '1.0 1.1 1.2 2.0'],
      [{ latest: true, since: 2 }, '2.0 2.1'],
      [{ latest: true, podcasts: new Set([ONE]) }, '0.0 2.0'],
      [{ latest: true, device: 'tv' }, '0.1 1.0 1.1'],
      [{ latest: true, device: 'phone' }, '0.0 0.2 2.0'],
      [{ latest: true, podcasts: new Set([TWO]), device: 'phone' }, '0.2'],
      [{ latest: true, podcasts: new Set([TWO]), device: 'phone', since: 1 }, ''],
      [{ latest: true, podcasts: new Set([ONE]), device: 'phone', since: 1 }, '2.0 2.1'],
      [{ subscribedOn: 'phone' }, '0.2 1.1 1.2'],
      [{ subscribedOn: 'phone', device: 'tv' }, '1.1'],
      [{ subscribedOn: 'phone', podcasts: new Set([ONE]) }, ''],
      [{ subscribedOn: 'phone', latest: true, since: 1 }, '1.1 1.2'],
      [{ subscribedOn: 'tv' }, ''],
      [{ subscribedOn: 'nowhere' }, ''],
    ];

    test('finds the latest by URL, regardless of the GUID', async ({ storage }) => {
      const alice = await addUser(storage);
      const both = [action(1, { guid: 'one' }), action(2, { guid: 'one' })];
      await storage.actions.append(alice, both);
      assert.deepEqual(await readActions(storage, alice, { latest: true }), both);
    });

    for (const [query, expected] of QUERIES) {
      test(`answers ${JSON.stringify(query)}, and the mark of all`, async ({ storage, nowAndReopened }) => {
        const alice = await addUser(storage);
        await storage.subscriptions.replace(alice, 'phone', [ONE, TWO]);
        await storage.subscriptions.replace(alice, 'phone', [TWO]);
        const marks: number[] = [0];
        for (const upload of UPLOADS) {
          await storage.actions.append(alice, upload);
          marks.push((await storage.actions.query(alice, {})).mark);
        }
        const resolved = query.since === undefined ? query : { ...query, since: marks[query.since]! };
        const places = expected.split(' ').filter((place) => place !== '');
        const wanted = places.map((place) => UPLOADS[Number(place[0])]![Number(place[2])]);
        for await (const open of nowAndReopened()) {
          assert.deepEqual(await readActions(open, alice, resolved), wanted);
          assert.equal((await open.actions.query(alice, resolved)).mark, marks.at(-1));
        }
      });
    }
  });
};
