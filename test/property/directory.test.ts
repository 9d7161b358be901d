import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DirectoryRecord, Storage } from '../../src/storage/stores.ts';
import { podcastInfo, recordFeed } from '../podcasts.ts';
import { seed } from '../seed.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { exportDirectory, importDirectory } from '../storage/suite/transfer/samples.ts';
import type { StorageName } from '../storages.ts';

/* All storages have the same episodes, with the same stamps, after any sequence of fetches and imports. */

const STORAGES: StorageName[] = ['json', 'sqlite', 'postgres'];
const FEEDS = ['http://example.org/a', 'http://example.org/b', 'http://example.org/c'];
const RUNS = 20;
const START = 1_700_000_000;

const feed = fc.constantFrom(...FEEDS);
const other = fc.option(feed, { nil: undefined, freq: 2 });
/** Every other one has no GUID. If one had it only sometimes, its match among two with one URL would be undefined. */
const episode = fc.record({ number: fc.nat(5), hasMoved: fc.boolean() }).map(({ number, hasMoved }) => ({
  url: `http://example.org/${number}${hasMoved ? '-moved' : ''}.mp3`,
  ...(number % 2 === 0 && { guid: `guid of ${number}` }),
  title: `Episode ${number}`,
  description: '',
  website: '',
  releasedAt: START + 2 * number + Number(hasMoved), // the order of two with one time would be undefined
}));
const episodes = fc.uniqueArray(episode, { selector: ({ guid, url }) => guid ?? url, maxLength: 4 });

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fetch' as const), url: feed, episodes, movedTo: other }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      url: feed,
      episodes,
      formerly: other,
      later: fc.integer({ min: -5, max: 35 }),
      stamp: fc.nat(300),
      haveMoved: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(1, 10, 100) }) },
);
type Step = (typeof step extends fc.Arbitrary<infer Each> ? Each : never) & object;

async function perform({ storage, clock }: TestServer, each: Step): Promise<void> {
  switch (each.kind) {
    case 'wait':
      clock.now += each.seconds;
      return undefined;
    case 'fetch': {
      const { url, movedTo } = each;
      const state = { url, intervalSeconds: 3600, failures: 0, nextAt: START, fetchedAt: clock.now };
      return recordFeed(storage, url, {}, each.episodes, {
        state,
        ...(movedTo !== undefined && movedTo !== url && { movedTo }),
      });
    }
    case 'import':
      return importDirectory(storage, toRecords(each, clock.now));
  }
}

function toRecords(each: Extract<Step, { kind: 'import' }>, now: number): DirectoryRecord[] {
  const { url, formerly, later, stamp, haveMoved } = each;
  const state = { intervalSeconds: 3600, failures: 0, nextAt: START, fetchedAt: now + later };
  const urls = new Set(each.episodes.map((episode) => episode.url));
  return [
    {
      kind: 'podcast',
      url,
      info: podcastInfo(),
      feed: state,
      formerUrls: formerly !== undefined && formerly !== url ? [formerly] : [],
    },
    ...each.episodes.map((found): DirectoryRecord => {
      const before = found.url.replace(/(-moved)?\.mp3$/, (_, moved?: string) => (moved ? '.mp3' : '-moved.mp3'));
      const formerUrls = haveMoved && !urls.has(before) ? [before] : [];
      return { kind: 'episode', episode: { ...found, stamp: START + stamp, formerUrls } };
    }),
  ];
}

/** The whole directory, and the episodes that are new since a mark. */
async function read(storage: Storage): Promise<object> {
  const { items, mark } = await storage.podcasts.episodesSince(FEEDS, START + 50, 50);
  const recent = items.map(({ podcast, url, stamp }) => `${podcast} ${url} ${stamp}`);
  return { records: await exportDirectory(storage), mark, recent: recent.toSorted() };
}

const histories = fc.sample(fc.array(step, { minLength: 12, maxLength: 12 }), { seed, numRuns: RUNS });

it.each(histories.map((steps, number) => [number, steps] as const))(
  'all storages keep the same directory in history %i',
  async (_, steps) => {
    const servers = await Promise.all(STORAGES.map((storageName) => openTestServer({ storageName })));
    for (const { storage } of servers) {
      const bob = (await storage.users.find('bob'))!;
      const changes = FEEDS.map((url) => ({ url, subscribed: true }));
      await storage.subscriptions.apply(bob.id, 'phone', changes);
    }
    for (const [position, each] of steps.entries()) {
      const [first, ...others] = await Promise.all(
        servers.map(async (server) => {
          const failure = await perform(server, each).catch((error: { code: string }) => error.code);
          return { failure, ...(await read(server.storage)) };
        }),
      );
      for (const [index, found] of others.entries()) {
        expect(found, `${STORAGES[index + 1]}, step ${position} of ${JSON.stringify(steps)}`).toEqual(first);
      }
    }
  },
);
