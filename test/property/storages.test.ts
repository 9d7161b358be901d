import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EpisodeInfo, PodcastInfo } from '../../src/domain/types.ts';
import { createRoutes } from '../../src/routes/index.ts';
import type { Route, RouteContext } from '../../src/routes/route.ts';
import type { Services } from '../../src/services/services.ts';
import { recordFeed } from '../podcasts.ts';
import { fillAccount } from '../sample-account.ts';
import { seed } from '../seed.ts';
import { logIn, openTestServer, type TestServer } from '../server.ts';
import type { StorageName } from '../storages.ts';
import { readBody } from './answers.ts';
import { type RandomRequest, requestTo, toRequest } from './requests.ts';
import { plainText, plainUrl, text } from './text.ts';

/* All storages give the same responses to any sequence of requests. */

const STORAGES: StorageName[] = ['json', 'sqlite', 'postgres'];
const RUNS = 5;
const STEPS = 200;

const routes = createRoutes({} as Services, {} as RouteContext);

/** One step of all servers. */
type Step =
  | { kind: 'request'; route: string; request: RandomRequest }
  | { kind: 'wait'; seconds: number }
  | { kind: 'fetch'; url: string; podcast: Partial<PodcastInfo>; episodes: FeedEpisode[]; movedTo: string | undefined }
  | { kind: 'rebuild' };
type FeedEpisode = Partial<EpisodeInfo> & { url: string };

const request = fc
  .constantFrom(...routes)
  .chain((route: Route) =>
    requestTo(route).map((each) => ({ kind: 'request' as const, route: route[1], request: each })),
  );
const feed = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('http://example.org/feed', 'http://example.org/feed?format=mp3') },
  plainUrl,
);
/** No two have the same release time, as their order would be undefined. */
const episode = fc
  .record({ number: fc.nat(9), hasMoved: fc.boolean(), title: plainText })
  .map(({ number, hasMoved, title }) => ({
    url: `http://example.org/${number}${hasMoved ? '-moved' : ''}.mp3`,
    guid: `${number}`,
    title,
    releasedAt: 1_600_000_000 + number,
  }));
const fetched = fc.record({
  kind: fc.constant('fetch' as const),
  url: feed,
  podcast: fc.record(
    {
      title: fc.oneof(
        plainText,
        text.map((each) => each.toWellFormed().replaceAll('\0', '')),
      ),
      tags: fc.uniqueArray(fc.constantFrom('News', 'news', 'Küche', 'Tech & More', '--'), { maxLength: 3 }),
      logoUrl: fc.constantFrom(null, 'http://example.org/logo.png'),
    },
    { requiredKeys: [] },
  ),
  episodes: fc.uniqueArray(episode, { selector: ({ url }) => url, maxLength: 5 }),
  movedTo: fc.option(feed, { nil: undefined, freq: 4 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 20, arbitrary: request },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(1, 60, 600, 90_000) }),
  },
  { weight: 3, arbitrary: fetched },
  { weight: 1, arbitrary: fc.constant({ kind: 'rebuild' as const }) },
);

/**
 * A response without its random values, such as tokens, and without the mark of device updates, which is 30 s earlier if
 * several nodes, each with its own clock, share the storage.
 */
async function toComparable(route: string, response: Response): Promise<unknown> {
  const { status } = response;
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => name !== 'set-cookie' && name !== 'etag' && name !== 'content-length'),
  );
  // Tokens are random, and so is the order of sessions used at the same moment.
  if (/^\/(?:search|register|settings|authorize)|login\/v2|getapppassword/.test(route)) return { status };
  const body = (await readBody(response)).replace(/name="(?:csrf|id)" value="[^"]*"/g, '');
  return {
    status,
    headers,
    body: route.includes('/updates/') ? body.replace(/"timestamp":\d+/, '"timestamp":0') : body,
  };
}

async function perform(server: TestServer, session: string, each: Step): Promise<unknown> {
  switch (each.kind) {
    case 'request':
      return toComparable(each.route, await server.app.request(toRequest(each.request, session)));
    case 'wait':
      server.clock.now += each.seconds;
      return undefined;
    case 'fetch':
      return recordFeed(server.storage, each.url, each.podcast, each.episodes, {
        ...(each.movedTo !== undefined && each.movedTo !== each.url && { movedTo: each.movedTo }),
      }).then(
        () => 'recorded',
        (error: { code: string }) => error.code,
      );
    case 'rebuild':
      return server.services.directory.rebuildToplist();
  }
}

it('all storages answer the same', { timeout: 600_000 }, async () => {
  const histories = fc.sample(fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' }), {
    seed,
    numRuns: RUNS,
  });
  for (const steps of histories) {
    const servers = await Promise.all(
      STORAGES.map(async (storageName) => {
        const server = await openTestServer({ storageName, users: ['bob', 'eve', 'mallory'], registration: 'open' });
        await fillAccount(server, 'bob');
        await fillAccount(server, 'eve');
        return { server, session: await logIn(server) };
      }),
    );
    for (const [position, each] of steps.entries()) {
      const [first, ...others] = await Promise.all(
        servers.map(({ server, session }) => perform(server, session, each)),
      );
      for (const [index, other] of others.entries()) {
        expect(other, `${STORAGES[index + 1]}, step ${position}: ${JSON.stringify(each)}`).toEqual(first);
      }
    }
  }
});
