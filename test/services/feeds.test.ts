import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Fetcher, FetchOutcome } from '../../src/feeds/fetch.ts';
import { createFeeds } from '../../src/services/feeds/feeds.ts';
import { episodeInfo, parsedFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';

const auth = 'bob:secret';
const [A, B, C] = ['http://example.org/a', 'http://example.org/b', 'http://example.org/c'] as const;

const fetched = (title: string, more = {}): FetchOutcome => ({
  kind: 'fetched',
  feed: parsedFeed({ title, episodes: [episodeInfo({ url: 'http://example.org/1.mp3', guid: '1', title: 'One' })] }),
  ...more,
});

interface Web extends Fetcher {
  /** Outcomes from now on, by URL. Other URLs do not respond until the fetcher is closed. */
  outcomes: Map<string, FetchOutcome>;
  requested: [url: string, validators: unknown][];
  /** Resolves after this number of requests. */
  untilRequested(count: number): Promise<void>;
}

function createWeb(): Web {
  const outcomes = new Map<string, FetchOutcome>();
  const requested: Web['requested'] = [];
  let resolveClosed!: (outcome: FetchOutcome) => void;
  const closed = new Promise<FetchOutcome>((resolve) => {
    resolveClosed = resolve;
  });
  let notify: (() => void) | undefined;
  return {
    outcomes,
    requested,
    fetchFeed(url, { etag, lastModified }) {
      requested.push([url, { etag, lastModified }]);
      notify?.();
      return Promise.resolve(outcomes.get(url) ?? closed);
    },
    fetchImage: () => Promise.reject(new Error('unexpected')),
    close: async () => resolveClosed({ kind: 'failed', message: 'closed' }),
    async untilRequested(count) {
      while (requested.length < count) await new Promise<void>((resolve) => (notify = resolve));
    },
  };
}

async function openWith(feeds: readonly string[]): Promise<{ server: TestServer; web: Web }> {
  const web = createWeb();
  const server = await openTestServer({ fetcher: web });
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: feeds });
  return { server, web };
}

const titleOf = async ({ services }: TestServer, url: string): Promise<string> =>
  (await services.directory.podcast(url)).podcast.title;

it('fetches due feeds, stores the results, and fetches again only when they are due again', async () => {
  const { server, web } = await openWith([A, B]);
  const { feeds } = server.services;
  web.outcomes.set(A, fetched('Alpha', { etag: '"a"', lastModified: 'then' }));
  web.outcomes.set(B, { kind: 'failed', message: 'the server did not answer' });
  const steps: [number, number][] = [];
  const report = await feeds.update('due', (...step) => steps.push(step));
  expect(report).toEqual({ tried: 2, failed: [{ url: B, error: 'the server did not answer' }] });
  expect(steps).toEqual([
    [0, 2],
    [1, 2],
    [2, 2],
  ]);
  expect(await titleOf(server, A)).toBe('Alpha');
  expect((await server.services.directory.episodes(A, 9)).map(({ title }) => title)).toEqual(['One']);

  expect(await feeds.update('due')).toEqual({ tried: 0, failed: [] });
  server.clock.now += 4 * 86_400;
  web.outcomes.set(A, { kind: 'unchanged' });
  await feeds.update('due');
  expect(web.requested.findLast(([url]) => url === A)).toEqual([A, { etag: '"a"', lastModified: 'then' }]);
  expect(await titleOf(server, A)).toBe('Alpha');
  expect(await server.storage.podcasts.feed(A)).toMatchObject({
    etag: '"a"',
    fetchedAt: server.clock.now,
    failures: 0,
  });
  expect(await server.storage.podcasts.feed(B)).toMatchObject({ failures: 2, error: 'the server did not answer' });
});

it('a feed that is lost at its new address is found through its former address', async () => {
  const { server, web } = await openWith([A]);
  const { feeds } = server.services;
  web.outcomes.set(A, fetched('Alpha', { movedTo: B }));
  await feeds.update({ url: A });
  web.outcomes.set(A, fetched('Alpha', { movedTo: C }));
  web.outcomes.set(B, { kind: 'failed', message: 'broken' });
  for (let time = 0; time < 5; time += 1) {
    expect((await feeds.update({ url: A })).failed).toEqual([{ url: B, error: 'broken' }]);
  }
  expect((await feeds.update({ url: A })).failed).toEqual([]);
  expect((await server.storage.podcasts.feed(A))?.url).toBe(C);

  web.outcomes.set(C, { kind: 'gone' });
  web.outcomes.set(A, { kind: 'failed', message: 'no answer' });
  await feeds.update({ url: A });
  expect((await server.storage.podcasts.feed(A))?.nextAt).toBeDefined();
  web.outcomes.set(A, fetched('Alpha'));
  await feeds.update({ url: A });
  expect((await server.storage.podcasts.feed(B))?.url).toBe(A);
  for (const url of [A, B, C]) web.outcomes.set(url, { kind: 'gone' });
  await feeds.update({ url: A });
  expect((await server.storage.podcasts.feed(A))?.nextAt).toBeUndefined();
});

it('claims due feeds in portions, so that a killed process leaves few that others have to wait for', async () => {
  const urls = Array.from({ length: 250 }, (_, n) => `http://example.org/${n}`);
  const { server, web } = await openWith(urls);
  const claimDue = vi.spyOn(server.storage.podcasts, 'claimDue');
  const running = server.services.feeds.update('due');
  await web.untilRequested(1);
  expect((await server.storage.podcasts.claimDue(1000, 900)).length).toBeGreaterThan(100);
  await server.services.feeds.stop();
  expect((await running).tried).toBeLessThan(150);
  expect(claimDue).toHaveBeenCalledTimes(2);
});

it('claims no more feeds of one host than are fetched before their leases end', async () => {
  const urls = Array.from({ length: 100 }, (_, n) => `http://example.org/${n}`);
  const { server, web } = await openWith(urls);
  const running = server.services.feeds.update('due');
  await web.untilRequested(16);
  server.clock.now += 899;
  expect((await server.storage.podcasts.claimDue(1000, 900)).length).toBe(84);
  await server.services.feeds.stop();
  await running;
});

it('stopping waits for the feeds that are still fetched after the storage failed', async () => {
  const urls = Array.from({ length: 101 }, (_, n) => `http://example.org/${n}`);
  const { server, web } = await openWith(urls);
  for (const url of urls.slice(1)) web.outcomes.set(url, fetched(url));
  const { podcasts } = server.storage;
  const claim = podcasts.claimDue;
  const failing = vi
    .spyOn(podcasts, 'claimDue')
    .mockImplementationOnce(claim)
    .mockRejectedValue(new Error('no storage'));
  onTestFinished(() => failing.mockRestore());
  await expect(server.services.feeds.update('due')).rejects.toThrow('no storage');
  const respond = web.close;
  const closing = vi.spyOn(web, 'close').mockResolvedValueOnce();
  const isStopped = vi.fn();
  const stopped = server.services.feeds.stop().then(isStopped);
  await setImmediate();
  expect(closing).toHaveBeenCalledOnce();
  expect(isStopped).not.toHaveBeenCalled();
  await respond();
  await stopped;
});

it('fetches each due feed once, however many there are', async () => {
  const urls = Array.from({ length: 250 }, (_, n) => `http://example.org/${n}`);
  const { server, web } = await openWith(urls);
  for (const url of urls) web.outcomes.set(url, fetched(url));
  expect(await server.services.feeds.update('due')).toEqual({ tried: 250, failed: [] });
  expect(web.requested.map(([url]) => url).toSorted()).toEqual(urls.toSorted());
});

it('a feed that fails keeps its last good data, and one that is gone is never fetched again', async () => {
  const { server, web } = await openWith([A]);
  const { feeds } = server.services;
  web.outcomes.set(A, fetched('Alpha'));
  await feeds.update({ url: A });
  web.outcomes.set(A, { kind: 'failed', message: 'broken' });
  expect(await feeds.update({ url: ' HTTP://example.org/a ' })).toMatchObject({
    failed: [{ url: A, error: 'broken' }],
  });
  expect(await titleOf(server, A)).toBe('Alpha');
  web.outcomes.set(A, { kind: 'gone' });
  expect((await feeds.update('all')).failed).toHaveLength(1);
  expect(await feeds.update('all')).toEqual({ tried: 0, failed: [] });
  server.clock.now += 30 * 86_400;
  expect(await feeds.update('due')).toEqual({ tried: 0, failed: [] });
  expect(await titleOf(server, A)).toBe('Alpha');
});

it('reports a feed that cannot be stored, and fetches the others', async () => {
  const { server, web } = await openWith([A, B, C]);
  for (const url of [A, B, C]) web.outcomes.set(url, fetched(`Title of ${url}`));
  const { podcasts } = server.storage;
  const record = podcasts.record.bind(podcasts);
  vi.spyOn(podcasts, 'record').mockImplementation(async (url, reading) => {
    if (url === B) throw new Error('the disk is full');
    return record(url, reading);
  });
  const report = await server.services.feeds.update('all');
  expect(report).toEqual({ tried: 3, failed: [{ url: B, error: 'the disk is full' }] });
  for (const url of [A, C]) expect(await titleOf(server, url)).toBe(`Title of ${url}`);
});

it('a feed that has moved is found under both URLs', async () => {
  const { server, web } = await openWith([A]);
  web.outcomes.set(A, fetched('Moved', { movedTo: B }));
  await server.services.feeds.update('due');
  expect((await server.services.directory.podcast(A)).podcast.url).toBe(B);
  server.clock.now += 4 * 86_400;
  web.outcomes.set(B, fetched('Still there'));
  await server.services.feeds.update('due');
  expect(await titleOf(server, A)).toBe('Still there');
});

it('the new address of a feed is fetched without the validators of the old one', async () => {
  const { server, web } = await openWith([A, B]);
  const { feeds } = server.services;
  web.outcomes.set(A, fetched('Alpha', { etag: '"a"', lastModified: 'in a hundred years' }));
  web.outcomes.set(B, fetched('Alpha', { etag: '"b"' }));
  await feeds.update('due');
  web.outcomes.set(A, { kind: 'unchanged', movedTo: B });
  await feeds.update({ url: A });
  web.outcomes.set(A, fetched('Alpha', { movedTo: B }));
  await feeds.update({ url: A });
  expect(web.requested.at(-1)).toEqual([A, { etag: undefined, lastModified: undefined }]);
  await feeds.update({ url: A });
  expect(web.requested.at(-1)).toEqual([B, { etag: undefined, lastModified: undefined }]);
});

it('a feed that keeps redirecting to another podcast is fetched with its validators', async () => {
  const { server, web } = await openWith([A]);
  const { feeds } = server.services;
  web.outcomes.set(A, fetched('Alpha'));
  await feeds.update({ url: A });
  web.outcomes.set(A, fetched('Other', { etag: '"other"', movedTo: B }));
  await feeds.update({ url: A });
  web.outcomes.set(A, { kind: 'unchanged', movedTo: B });
  for (let time = 0; time < 3; time += 1) {
    await feeds.update({ url: A });
    expect(web.requested.at(-1)).toEqual([A, { etag: '"other"', lastModified: undefined }]);
  }
  web.outcomes.set(A, { kind: 'unchanged', movedTo: C });
  await feeds.update({ url: A });
  await feeds.update({ url: A });
  expect(web.requested.at(-1), 'moved elsewhere').toEqual([A, { etag: undefined, lastModified: undefined }]);
});

it('fetches in the background, and stopping does not count as a failure of the feed', async () => {
  const { server, web } = await openWith([A, B, C]);
  web.outcomes.set(A, fetched('Alpha'));
  server.services.feeds.start();
  await web.untilRequested(3);
  await server.services.feeds.stop();
  expect(await titleOf(server, A)).toBe('Alpha');
  for (const url of [B, C]) expect(await server.storage.podcasts.feed(url)).toMatchObject({ failures: 0 });
});

it('in the background, the feeds of a slow host do not delay those of others', async () => {
  const slow = Array.from({ length: 20 }, (_, n) => `http://slow.example/${n}`);
  const others = [1, 2, 3].map((n) => `http://zz${n}.example/`);
  const { server, web } = await openWith([...slow, ...others]);
  for (const url of others) web.outcomes.set(url, fetched(url));
  server.services.feeds.start();
  await web.untilRequested(5);
  expect(web.requested.map(([url]) => url)).toEqual([...slow.slice(0, 2), ...others]);
  await server.services.feeds.stop();
  for (const url of others) expect(await titleOf(server, url)).toBe(url);
});

it('in the background, feeds of one host follow each other', async () => {
  const urls = Array.from({ length: 5 }, (_, n) => `http://example.org/${n}`);
  const { server, web } = await openWith(urls);
  for (const url of urls) web.outcomes.set(url, fetched(url));
  server.services.feeds.start();
  await web.untilRequested(5);
  expect(web.requested.map(([url]) => url)).toEqual(urls);
  await server.services.feeds.stop();
});

it('in the background, no more than 16 feeds are fetched at once', async () => {
  const urls = Array.from({ length: 20 }, (_, n) => `http://host${10 + n}.example/`);
  const { server, web } = await openWith(urls);
  web.outcomes.set(urls[0]!, fetched('First'));
  server.services.feeds.start();
  await web.untilRequested(17);
  expect(web.requested.map(([url]) => url)).toEqual(urls.slice(0, 17));
  server.clock.now += 899;
  expect((await server.storage.podcasts.claimDue(1000, 900)).length, 'which no other process is fetching').toBe(3);
  await server.services.feeds.stop();
});

it('in the background, goes on after the storage failed, and logs that', async () => {
  const { server, web } = await openWith([A, B, C]);
  const { podcasts } = server.storage;
  for (const url of [A, C]) web.outcomes.set(url, fetched(url));
  let release!: (outcome: FetchOutcome) => void;
  const late = new Promise<FetchOutcome>((resolve) => (release = resolve));
  const { fetchFeed } = web;
  web.fetchFeed = (url, validators) =>
    url === B ? (void fetchFeed(url, validators), late) : fetchFeed(url, validators);
  const claim = podcasts.claimDue;
  const failing = [
    vi.spyOn(podcasts, 'record').mockRejectedValueOnce(new Error('the disk is full')),
    vi
      .spyOn(podcasts, 'claimDue')
      .mockImplementationOnce(claim)
      .mockImplementationOnce(async () => {
        release(fetched(B));
        throw new Error('no storage');
      }),
  ];
  onTestFinished(() => failing.forEach((each) => each.mockRestore()));
  const logged: string[] = [];
  const log = (_level: string, message: string): void => void logged.push(message);
  const feeds = createFeeds(podcasts, { fetcher: web, now: () => server.clock.now, rules: {}, log });
  feeds.start();
  await web.untilRequested(3);
  await feeds.stop();
  expect(logged).toEqual([expect.stringContaining('the disk is full'), expect.stringContaining('no storage')]);
  for (const url of [B, C]) expect(await titleOf(server, url)).toBe(url);
});

it('an upload does not wait for a feed', async () => {
  const { server, web } = await openWith([]);
  server.services.feeds.start();
  const answer = await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [A] });
  expect(answer.status).toBe(200);
  expect(web.requested).toEqual([]);
  await server.services.feeds.stop();
});

it('a feed that has not changed since it failed is fine again', async () => {
  const { server, web } = await openWith([A]);
  const { feeds } = server.services;
  for (const outcome of [fetched('Alpha', { etag: '"a"' }), { kind: 'failed', message: 'broken' } as const]) {
    web.outcomes.set(A, outcome);
    await feeds.update({ url: A });
  }
  expect(await feeds.problem(A)).toEqual({ error: 'broken', fetchedAt: server.clock.now });
  web.outcomes.set(A, { kind: 'unchanged' });
  await feeds.update({ url: A });
  expect(await feeds.problem(A)).toBeUndefined();
});

it('a feed that no longer sends validators is fetched without the earlier ones', async () => {
  const { server, web } = await openWith([A]);
  for (const validators of [{ etag: '"a"', lastModified: 'then' }, {}, {}]) {
    web.outcomes.set(A, fetched('Alpha', validators));
    await server.services.feeds.update({ url: A });
  }
  expect(web.requested.at(-1)).toEqual([A, { etag: undefined, lastModified: undefined }]);
});

it('a lost feed is requested at its former address without its validators, and not twice at its own', async () => {
  const { server, web } = await openWith([A]);
  const { feeds } = server.services;
  web.outcomes.set(A, fetched('Alpha', { movedTo: B, etag: '"b"' }));
  await feeds.update({ url: A });
  for (const url of [A, B]) web.outcomes.set(url, { kind: 'gone' });
  web.requested.length = 0;
  await feeds.update({ url: A });
  expect(web.requested).toEqual([
    [B, { etag: '"b"', lastModified: undefined }],
    [A, { etag: undefined, lastModified: undefined }],
  ]);
  const alone = await openWith([C]);
  alone.web.outcomes.set(C, { kind: 'gone' });
  await alone.server.services.feeds.update({ url: C });
  expect(alone.web.requested.map(([url]) => url)).toEqual([C]);
});

it('reports a private feed that fails without its password', async () => {
  const web = createWeb();
  const server = await openTestServer({ fetcher: web, keepUrlCredentials: true });
  const url = 'http://bob:hunter2@example.org/a';
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [url] });
  web.outcomes.set(url, { kind: 'failed', message: 'broken' });
  const { failed } = await server.services.feeds.update('all');
  expect(failed).toEqual([{ url: 'http://***@example.org/a', error: 'broken' }]);
});

it('refuses unknown feeds, and all feeds if fetching is disabled', async () => {
  const { server } = await openWith([A]);
  await expect(server.services.feeds.update({ url: B })).rejects.toMatchObject({ code: 'missing' });
  const offline = await openTestServer();
  offline.services.feeds.start();
  await expect(offline.services.feeds.update('due')).rejects.toMatchObject({ code: 'forbidden' });
});
