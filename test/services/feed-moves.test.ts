import { expect, it, vi } from 'vitest';
import type { EpisodeInfo } from '../../src/domain/types.ts';
import type { Fetcher, FetchOutcome } from '../../src/feeds/fetch.ts';
import type { ParsedFeed } from '../../src/feeds/parse.ts';
import { episodeInfo, parsedFeed, recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';

const auth = 'bob:secret';
const [A, B, C] = ['https://a.example/feed', 'https://b.example/feed', 'https://c.example/feed'] as const;
/** The GUID of https://b.example/feed by the rule of `podcast:guid`. */
const GUID_OF_B = '122e00c3-b5c7-57a6-a92a-fe10621e55da';

const episodesOf = (name: string, count = 3): EpisodeInfo[] =>
  Array.from({ length: count }, (_, n) =>
    episodeInfo({
      url: `https://media.example/${name}/${count - n}.mp3`,
      title: `${name} ${count - n}`,
      releasedAt: 1_600_000_000 + count - n,
    }),
  );

const feedOf = (name: string, fields: Partial<ParsedFeed> = {}): ParsedFeed =>
  parsedFeed({ title: name, episodes: episodesOf(name), ...fields });

interface Web extends Fetcher {
  set(url: string, feed: ParsedFeed | FetchOutcome['kind'], movedTo?: string): void;
}

function createWeb(): Web {
  const outcomes = new Map<string, FetchOutcome>();
  return {
    set(url, feed, movedTo) {
      const outcome = typeof feed === 'string' ? { kind: 'gone' as const } : { kind: 'fetched' as const, feed };
      outcomes.set(url, outcome.kind === 'fetched' && movedTo !== undefined ? { ...outcome, movedTo } : outcome);
    },
    fetchFeed: async (url) => outcomes.get(url) ?? { kind: 'failed', message: `${url} does not answer` },
    fetchImage: () => Promise.reject(new Error('unexpected')),
    close: async () => undefined,
  };
}

async function openWith(...feeds: string[]): Promise<{ server: TestServer; web: Web }> {
  const web = createWeb();
  const server = await openTestServer({ fetcher: web });
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: feeds });
  return { server, web };
}

const fetchAll = ({ services }: TestServer): Promise<unknown> => services.feeds.update('all');

/** The podcasts of the toplist, each with its URL, title and number of episodes. */
async function listed({ services }: TestServer): Promise<unknown[]> {
  const top = await services.directory.toplist(9);
  return Promise.all(
    top.map(async ({ url, title }) => [url, title, (await services.directory.episodes(url, 99)).length]),
  );
}

/** A feed that was fetched at A, and has moved to B since. */
async function openMoved(there: ParsedFeed, here: Partial<ParsedFeed> = {}): Promise<{ server: TestServer; web: Web }> {
  const open = await openWith(A);
  open.web.set(A, feedOf('Show', here));
  await fetchAll(open.server);
  open.web.set(A, there, B);
  open.web.set(B, there);
  await fetchAll(open.server);
  return open;
}

it.each<[string, ParsedFeed, Partial<ParsedFeed>]>([
  ['has the same title and episodes', feedOf('Show', { episodes: episodesOf('Show', 4) }), {}],
  ['has the same GUID', feedOf('New name', { guid: 'x', episodes: episodesOf('New') }), { guid: 'x' }],
])('a permanent redirect merges a feed with a target that %s', async (_what, there, here) => {
  const { server } = await openMoved(there, here);
  const top = await server.services.directory.toplist(9);
  expect(top.map(({ url }) => url)).toEqual([B]);
  expect((await server.services.directory.podcast(A)).podcast.url).toBe(B);
  const list = await server.request('GET', '/subscriptions/bob/phone.json', { auth });
  expect(await list.json()).toEqual([A]);
});

it.each<[string, ParsedFeed, Partial<ParsedFeed>]>([
  ['has another title', feedOf('Other', { episodes: episodesOf('Show') }), {}],
  ['has other episodes', feedOf('Show', { episodes: episodesOf('Other') }), {}],
  ['has another GUID', feedOf('Show', { guid: 'y' }), { guid: 'x' }],
])('a permanent redirect does not merge a feed with a target that %s, however often it is fetched', async (...row) => {
  const [, there, here] = row;
  const { server } = await openMoved(there, here);
  await fetchAll(server);
  await fetchAll(server);
  expect((await server.services.directory.podcast(A)).podcast.url).toBe(A);
  await expect(server.services.directory.podcast(B)).rejects.toMatchObject({ code: 'missing' });
});

it('a feed that was never fetched is merged with the target of its permanent redirect', async () => {
  const { server, web } = await openWith(A, B);
  for (const url of [A, B]) web.set(url, feedOf('Show'), url === A ? B : undefined);
  await fetchAll(server);
  expect(await listed(server)).toEqual([[B, 'Show', 3]]);
});

it('an announced new address is accepted if it has the same podcast', async () => {
  const { server, web } = await openWith(A, B);
  web.set(A, feedOf('Show', { movedTo: B }));
  web.set(B, feedOf('Show', { movedTo: B, author: 'Somebody' }));
  await fetchAll(server);
  expect(await listed(server)).toEqual([[B, 'Show', 3]]);
  expect((await server.services.directory.podcast(A)).podcast.author).toBe('Somebody');
});

it.each<[string, ParsedFeed | 'gone']>([
  ['is another podcast', feedOf('Popular')],
  ['has another GUID', feedOf('Show', { guid: 'y' })],
  ['does not answer', 'gone'],
])('an announced new address is not accepted if it %s', async (_what, there) => {
  const { server, web } = await openWith(A, B);
  web.set(A, feedOf('Show', { movedTo: B, guid: 'x' }));
  web.set(B, there);
  for (let time = 0; time < 3; time += 1) await fetchAll(server);
  expect((await server.services.directory.podcast(A)).podcast.url).toBe(A);
  expect((await server.services.directory.podcast(B)).podcast.url).toBe(B);
});

it('an announced address is requested for the feed that announces it, as another one could name a private address', async () => {
  const { server, web } = await openWith(A);
  web.set(A, feedOf('Show', { movedTo: B }));
  const fetchFeed = vi.spyOn(web, 'fetchFeed');
  await fetchAll(server);
  expect(fetchFeed.mock.calls.map(([url, validators, from]) => [url, validators, from])).toEqual([
    [A, expect.anything(), undefined],
    [B, {}, A],
  ]);
});

it('an announced address that redirects permanently leads to the last one', async () => {
  const { server, web } = await openWith(A);
  web.set(A, feedOf('Show', { movedTo: B }));
  web.set(B, feedOf('Show'), C);
  await fetchAll(server);
  expect(await listed(server)).toEqual([[C, 'Show', 3]]);
});

it('two feeds that announce each other end up as one', async () => {
  const { server, web } = await openWith(A, B);
  web.set(A, feedOf('Show', { movedTo: B }));
  web.set(B, feedOf('Show', { movedTo: A }));
  for (let time = 0; time < 3; time += 1) await fetchAll(server);
  const [first] = await listed(server);
  await fetchAll(server);
  expect(await listed(server)).toEqual([first]);
});

it.each<[string, Partial<EpisodeInfo>, EpisodeInfo[]]>([
  ['of a later time', { releasedAt: 1_600_000_004 }, episodesOf('Show', 5)],
  ['without a date', {}, episodesOf('Show', 5)],
  [
    'to a feed without dates',
    { releasedAt: 1 },
    episodesOf('Show', 5).map(({ url, title }) => episodeInfo({ url, title })),
  ],
])('a moved feed adds no episodes %s to the one at its new address', async (_what, date, show) => {
  const { server, web } = await openWith(A, B);
  const { releasedAt: _, ...advert } = episodesOf('Advert', 1)[0]!;
  web.set(A, feedOf('Show', { episodes: [...show, { ...advert, ...date }] }));
  web.set(B, feedOf('Show', { episodes: show }));
  await fetchAll(server);
  web.set(A, feedOf('Show', { episodes: show }), B);
  await fetchAll(server);
  expect(await listed(server)).toEqual([[B, 'Show', 5]]);
});

it('a lost feed is not replaced by another podcast at its former address', async () => {
  const { server, web } = await openMoved(feedOf('Show'));
  web.set(B, 'gone');
  web.set(A, feedOf('Advert'));
  await fetchAll(server);
  expect(await server.services.directory.podcast(A)).toMatchObject({ podcast: { url: B, title: 'Show' } });
  web.set(A, feedOf('Show', { author: 'Back home' }), C);
  await server.services.feeds.update({ url: A });
  expect(await server.services.directory.podcast(B)).toMatchObject({ podcast: { url: C, author: 'Back home' } });
});

it('a feed that redirects to one with as many subscribers does not take its place when that fails', async () => {
  const { server, web } = await openWith(B);
  web.set(B, feedOf('Show'));
  await fetchAll(server);
  await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [A] });
  web.set(A, feedOf('Show'), B);
  await fetchAll(server);
  expect(await listed(server)).toEqual([[B, 'Show', 3]]);
  web.set(B, 'gone');
  web.set(A, feedOf('Show', { author: 'Eve' }));
  await fetchAll(server);
  expect(await server.services.directory.podcast(B)).toMatchObject({ podcast: { url: B, author: '' } });
});

it('feeds with one GUID become the podcast at the address from which the GUID is derived', async () => {
  const { server, web } = await openWith(A, B, C);
  web.set(A, feedOf('Copy', { guid: GUID_OF_B }));
  web.set(B, feedOf('Show', { guid: GUID_OF_B }));
  web.set(C, feedOf('Other', { guid: 'c' }));
  await fetchAll(server);
  expect(await listed(server)).toEqual([
    [B, 'Show', 3],
    [C, 'Other', 3],
  ]);
});

it('the addresses of one feed with http and https, and its GUID, become the podcast at https', async () => {
  const plain = B.replace('https:', 'http:');
  const { server, web } = await openWith(plain, B);
  for (const url of [plain, B]) web.set(url, feedOf('Show', { guid: GUID_OF_B }));
  await fetchAll(server);
  expect(await listed(server)).toEqual([[B, 'Show', 3]]);
});

it('a feed that was merged while its former address was fetched is fetched again, though that address is gone', async () => {
  const { server, web } = await openWith(A);
  web.set(A, feedOf('Show', { guid: GUID_OF_B }));
  await fetchAll(server);
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [A, B] });
  web.set(B, feedOf('Show', { guid: GUID_OF_B }));
  web.set(A, 'gone');
  const { fetchFeed } = web;
  web.fetchFeed = async (url, validators) => {
    if (url === A) await server.services.feeds.update({ url: B });
    return fetchFeed(url, validators);
  };
  await server.services.feeds.update({ url: A });
  expect((await server.services.directory.podcast(A)).podcast.url).toBe(B);
  expect(await server.services.feeds.problem(B)).toBeUndefined();
});

it('a feed that claims the GUID of another one does not take its place when that fails', async () => {
  const { server, web } = await openWith(A, B);
  web.set(A, feedOf('Copy', { guid: GUID_OF_B }));
  web.set(B, feedOf('Show', { guid: GUID_OF_B }));
  await fetchAll(server);
  web.set(B, 'gone');
  await fetchAll(server);
  expect(await listed(server)).toEqual([[B, 'Show', 3]]);
});

it('a feed stays alive if the one from whose address its GUID is derived is gone', async () => {
  const mp3 = 'https://b.example/feed?format=mp3';
  const { server, web } = await openWith(B);
  web.set(B, feedOf('Show', { guid: GUID_OF_B }));
  await fetchAll(server);
  web.set(B, 'gone');
  await fetchAll(server);
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [B, mp3] });
  web.set(mp3, feedOf('Show', { guid: GUID_OF_B }));
  await fetchAll(server);
  web.set(mp3, feedOf('Show', { guid: GUID_OF_B, author: 'Somebody' }));
  await fetchAll(server);
  expect(await server.services.directory.podcast(mp3)).toMatchObject({ podcast: { author: 'Somebody' } });
});

it('a feed that copies a GUID gains nothing', async () => {
  const { server, web } = await openWith(A, B);
  web.set(A, feedOf('Copy', { guid: 'made elsewhere' }));
  web.set(B, feedOf('Show', { guid: 'made elsewhere' }));
  await fetchAll(server);
  expect(await listed(server)).toEqual([
    [A, 'Copy', 3],
    [B, 'Show', 3],
  ]);
});

it.each<[string, Partial<ParsedFeed>, string?]>([
  ['with the GUID of the public feed', { guid: GUID_OF_B }],
  ['that redirects to the public feed', {}, B],
])('episodes of a private feed %s are not added to it', async (_what, fields, movedTo) => {
  const secret = `${B}?token=secret`;
  const { server, web } = await openWith(B, secret);
  const show = (episodes: EpisodeInfo[]): ParsedFeed => feedOf('Show', { ...fields, episodes });
  web.set(B, show(episodesOf('Show', 3)));
  web.set(
    secret,
    show([...episodesOf('Show', 3), ...episodesOf('secret', 1).map((each) => ({ ...each, releasedAt: 1 }))]),
  );
  await fetchAll(server);
  if (movedTo !== undefined) web.set(secret, show(episodesOf('Show', 3)), movedTo);
  await fetchAll(server);
  expect(await server.services.directory.episodes(B, 9)).toHaveLength(3);
  if (movedTo === undefined) expect(await server.storage.podcasts.episodes(secret, 9)).toHaveLength(4);
});

it('a feed that redirects to a new address at each fetch gets up to 200 addresses, and is still read', async () => {
  const { server, web } = await openWith(A);
  const { podcasts } = server.storage;
  let visits = 0;
  let isExpired = false;
  const visit = async (): Promise<void> => {
    const [current] = await podcasts.find([A]);
    const feed = feedOf('Show', { author: `Visit ${++visits}` });
    for (const url of [A, current!.url]) web.set(url, feed, `${A}?visit=${visits}`);
    if (isExpired && current!.url !== A) web.set(current!.url, 'gone');
    await fetchAll(server);
    expect((await podcasts.find([A]))[0]).toMatchObject({ author: `Visit ${visits}` });
  };
  for (let fetches = 0; fetches < 210; fetches += 1) await visit();
  expect((await podcasts.allUrls(A)).size).toBe(200);
  isExpired = true;
  for (let fetches = 0; fetches < 3; fetches += 1) await visit();
  expect((await podcasts.allUrls(A)).size).toBe(200);
  expect((await podcasts.find([A]))[0]?.url).toBe(A);
});

it('a feed with 200 addresses moves to no further one that it announces, but to one of them', async () => {
  const { server, web } = await openWith(A);
  const { podcasts } = server.storage;
  web.set(A, feedOf('Show'));
  await fetchAll(server);
  for (let n = 1; n < 200; n += 1) {
    await recordFeed(server.storage, A, { title: 'Show' }, [], { movedTo: `${A}?n=${n}` });
  }
  expect((await podcasts.allUrls(A)).size).toBe(200);
  const current = `${A}?n=199`;
  web.set(current, feedOf('Show', { movedTo: B }));
  web.set(B, feedOf('Show'));
  await fetchAll(server);
  expect((await podcasts.find([A]))[0]?.url).toBe(current);
  web.set(current, feedOf('Show'), `${A}?n=1`);
  await fetchAll(server);
  expect((await podcasts.find([A]))[0]?.url).toBe(`${A}?n=1`);
});

it.each<[string, Partial<ParsedFeed>, string?]>([
  ['redirects to the other', {}, B],
  ['has the same GUID', { guid: GUID_OF_B }],
])(
  'two feeds that would have more than 200 addresses together do not become one, though one %s',
  async (_what, fields, movedTo) => {
    const { server, web } = await openWith(A, B);
    const { podcasts } = server.storage;
    for (const url of [A, B]) web.set(url, feedOf('Show'));
    await fetchAll(server);
    for (let n = 1; n <= 100; n += 1) {
      const target = n < 100 ? `${A}?n=${n}` : A;
      await recordFeed(server.storage, A, { title: 'Show' }, episodesOf('Show'), { movedTo: target });
    }
    for (let n = 1; n <= 101; n += 1) {
      const target = n < 101 ? `${B}?n=${n}` : B;
      await recordFeed(server.storage, B, { title: 'Show' }, episodesOf('Show'), { movedTo: target });
    }
    web.set(A, feedOf('Show', { ...fields, author: 'At A' }), movedTo);
    web.set(B, feedOf('Show', fields));
    await fetchAll(server);
    expect([(await podcasts.allUrls(A)).size, (await podcasts.allUrls(B)).size]).toEqual([100, 101]);
    expect((await podcasts.find([A]))[0]).toMatchObject({ url: A, author: 'At A' });
  },
);
