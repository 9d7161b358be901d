import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startDistantServer } from '../distant-server.ts';
import { byPath, FEED, redirect, send, startFeedServer, startFetcher } from './feed-server.ts';
import { rss } from './samples/sample.ts';

describe('an unchanged feed', () => {
  const CHANGED = 'Wed, 31 Jan 2024 10:00:00 GMT';
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const isKnown = request.headers['if-none-match'] === '"1"' && request.headers['if-modified-since'] === CHANGED;
    if (isKnown) response.writeHead(304).end();
    else send({ etag: '"1"', 'last-modified': CHANGED })(response);
  };

  it('is requested with the validators of the last response', async () => {
    const { origin } = await startFeedServer(answer);
    const { fetchFeed } = startFetcher();
    const first = await fetchFeed(`${origin}/`, {});
    expect(first).toMatchObject({ kind: 'fetched', etag: '"1"', lastModified: CHANGED });
    const validators = { etag: '"1"', lastModified: CHANGED };
    expect(await fetchFeed(`${origin}/`, validators)).toEqual({ kind: 'unchanged' });
  });

  it('304 without validators is a failure', async () => {
    const { origin } = await startFeedServer((_, response) => void response.writeHead(304).end());
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toMatchObject({ kind: 'failed' });
  });

  it('a truncated feed has no validators, so that it is fetched again', async () => {
    const whole = rss('<title>Fetched</title><item><title>One</title></item><item>');
    const cut = whole.slice(0, whole.lastIndexOf('<item>'));
    const { origin } = await startFeedServer((_, response) =>
      send({ etag: '"1"', 'last-modified': CHANGED }, cut)(response),
    );
    const outcome = await startFetcher().fetchFeed(`${origin}/`, {});
    expect(outcome).toMatchObject({ kind: 'fetched', feed: { title: 'Fetched' } });
    expect(Object.keys(outcome)).toEqual(['kind', 'feed']);
  });

  it('validators that cannot be sent back are ignored', async () => {
    const { origin } = await startFeedServer((_, response) =>
      send({ etag: '"ü"', 'last-modified': 'x'.repeat(2000) })(response),
    );
    const outcome = await startFetcher().fetchFeed(`${origin}/`, {});
    expect(outcome.kind).toBe('fetched');
    expect(Object.keys(outcome)).toEqual(['kind', 'feed']);
  });
});

it('the first of repeated headers counts', async () => {
  const twice = (...headers: [name: string, value: string][]): string[] =>
    headers.flatMap(([name, value]) => [name, value, name, `${value}2`]);
  const { origin } = await startFeedServer(
    byPath({
      '/': (response) => void response.writeHead(302, twice(['location', '/feed'])).end(),
      '/feed': (response) => void response.writeHead(200, twice(['etag', '"1"'], ['last-modified', 'then'])).end(FEED),
      '/busy': (response) => void response.writeHead(503, twice(['retry-after', '6'])).end(),
    }),
  );
  const { fetchFeed } = startFetcher();
  expect(await fetchFeed(`${origin}/`, {})).toMatchObject({ kind: 'fetched', etag: '"1"', lastModified: 'then' });
  expect(await fetchFeed(`${origin}/busy`, {})).toMatchObject({ kind: 'failed', retryAfter: 6 });
});

it('sends User-Agent, Accept and Accept-Encoding', async () => {
  const { origin, requests } = await startFeedServer((_, response) => send({})(response));
  await startFetcher().fetchFeed(`${origin}/`, {});
  expect(requests[0]!.headers).toMatchObject({
    'user-agent': 'podsync/0.1.0',
    'accept-encoding': 'gzip, deflate, br',
    accept: expect.stringContaining('application/rss+xml'),
  });
});

it.each([
  ['gzip', 'gzip', gzipSync(FEED)],
  ['x-gzip', 'X-GZIP', gzipSync(FEED)],
  ['deflate', 'deflate', deflateSync(FEED)],
  ['deflate without its header', 'deflate', deflateRawSync(FEED)],
  ['brotli', 'br', brotliCompressSync(FEED)],
  ['gzip that is not declared', 'identity', gzipSync(FEED)],
  ['a feed that claims to be gzip', 'gzip', Buffer.from(FEED)],
  ['gzip without its end', 'gzip', gzipSync(FEED).subarray(0, -8)],
  ['a feed with a character set as its encoding', 'UTF-8', Buffer.from(FEED)],
])('reads %s', async (_, encoding, body) => {
  const { origin } = await startFeedServer((_request, response) =>
    send({ 'content-encoding': encoding }, body)(response),
  );
  expect(await startFetcher().fetchFeed(`${origin}/`, {})).toMatchObject({
    kind: 'fetched',
    feed: { title: 'Fetched' },
  });
});

it('reads a feed from a distant host of which only the first address can be reached', async () => {
  const port = await startDistantServer(FEED);
  const { fetchFeed } = startFetcher({ resolve: async () => ['127.0.0.1', '127.0.0.2'] });
  expect(await fetchFeed(`http://distant.test:${port}/`, {})).toMatchObject({ kind: 'fetched' });
});

describe('a response that is not a feed', () => {
  it('is gone for 410', async () => {
    const { origin } = await startFeedServer((_, response) => void response.writeHead(410).end('bye'));
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toEqual({ kind: 'gone' });
  });

  it('is gone for 410 after permanent redirects, but fails after a temporary one', async () => {
    const gone = (response: ServerResponse): void => void response.writeHead(410).end();
    const { origin } = await startFeedServer(
      byPath({ '/moved': redirect(301, '/gone'), '/elsewhere': redirect(302, '/moved'), '/gone': gone }),
    );
    const { fetchFeed } = startFetcher();
    expect(await fetchFeed(`${origin}/moved`, {})).toEqual({ kind: 'gone' });
    const message = 'the server answered 410 (Gone)';
    expect(await fetchFeed(`${origin}/elsewhere`, {})).toEqual({ kind: 'failed', message });
  });

  it.each([
    [404, {}, { message: 'the server answered 404 (Not Found)' }],
    [418, {}, { message: `the server answered 418 (I'm a Teapot)` }],
    [599, {}, { message: 'the server answered 599' }],
    [429, { 'retry-after': '120' }, { message: 'the server answered 429 (Too Many Requests)', retryAfter: 120 }],
    [
      503,
      { 'retry-after': 'Wed, 31 Jan 2024 10:05:00 GMT', date: 'Wed, 31 Jan 2024 10:00:00 GMT' },
      { message: 'the server answered 503 (Service Unavailable)', retryAfter: 300 },
    ],
    [503, { 'retry-after': 'soon' }, { message: 'the server answered 503 (Service Unavailable)' }],
  ])('fails for %i %j', async (status, headers, expected) => {
    const { origin } = await startFeedServer((_, response) => void response.writeHead(status, headers).end('no'));
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toEqual({ kind: 'failed', ...expected });
  });

  it.each([
    ['', 'this is not a feed: it is empty'],
    ['  \n', 'this is not a feed: it is empty'],
    ['<!doctype html><html><body>Sign in</body></html>', 'this is not a feed: it is a web page'],
    ['{"version": "https://jsonfeed.org/version/1"}', 'this is not a feed: it is JSON'],
    ['<opml version="2.0"><body/></opml>', 'this is not a feed: it is an OPML list'],
    ['<rss version="2.0"/>', 'this is not a feed: it is empty'],
    ['<rss><channel></channel></rss>', 'this is not a feed: it is empty'],
    ['<rss><channel> <item><title>T</channel></rss>', 'this is not a feed: its XML is damaged'],
    ['<rss><channel><title>T</channel></rss>', 'this is not a feed: its XML is damaged'],
    ['\u0000\u0001\u0002 rubbish', 'this is not a feed: it is neither RSS nor Atom'],
  ])('fails for %j', async (body, message) => {
    const { origin } = await startFeedServer((_, response) => void response.end(body));
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toEqual({ kind: 'failed', message });
  });

  it('fails if there is no server', async () => {
    const { fetchFeed } = startFetcher({
      resolve: async (host) => {
        if (host === 'refuses.test') return ['127.0.0.1'];
        throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
      },
    });
    const messages = ['http://unknown.test/', 'http://refuses.test:2/', 'https://[::g]/'].map(async (url) => {
      const outcome = await fetchFeed(url, {});
      return outcome.kind === 'failed' ? outcome.message : outcome.kind;
    });
    expect(await Promise.all(messages)).toEqual([
      'there is no server with this name',
      'the server refuses connections',
      'its address is not valid',
    ]);
  });

  it('fails after the fetcher is closed', async () => {
    const { origin } = await startFeedServer(() => undefined);
    const fetcher = startFetcher();
    const outcome = fetcher.fetchFeed(`${origin}/`, {});
    await fetcher.close();
    expect(await outcome).toEqual({ kind: 'failed', message: 'podsync is closing' });
  });
});

describe('images', () => {
  it('are returned unchanged', async () => {
    const picture = Buffer.from(createHash('sha512').update('picture').digest());
    const { origin } = await startFeedServer(byPath({ '/': redirect(302, '/a.png'), '/a.png': send({}, picture) }));
    expect(Buffer.from(await startFetcher().fetchImage(`${origin}/`, [origin]))).toEqual(picture);
  });

  it('are refused if they are missing or larger than 5 MB', async () => {
    const { origin } = await startFeedServer(byPath({ '/large': send({}, Buffer.alloc(5_000_001)) }));
    const { fetchImage } = startFetcher();
    await expect(fetchImage(`${origin}/missing`, [origin])).rejects.toThrow('the server answered 404 (Not Found)');
    await expect(fetchImage(`${origin}/large`, [origin])).rejects.toThrow('it is larger than 5 MB');
  });
});
