import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { byPath, feedAt, startFeedServer, startFetcher } from './feed-server.ts';
import { rss } from './samples/sample.ts';

const FEED = rss('<title>Fetched</title>');
const send =
  (headers: Record<string, string>, body: string | Buffer = FEED) =>
  (response: ServerResponse): void =>
    void response.writeHead(200, headers).end(body);
const redirect =
  (status: number, location: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { location }).end('moved');

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

describe('redirects', () => {
  it.each([
    ['a permanent one', { '/': redirect(301, '/a'), '/a': send({}) }, '/a'],
    [
      'permanent ones, in two kinds',
      { '/': redirect(308, '/a'), '/a': redirect(301, 'b?x=1#y'), '/b?x=1': send({}) },
      '/b?x=1',
    ],
    ['a temporary one', { '/': redirect(302, '/a'), '/a': send({}) }, undefined],
    [
      'a temporary one after a permanent one',
      { '/': redirect(301, '/a'), '/a': redirect(307, '/b'), '/b': send({}) },
      '/a',
    ],
    [
      'a permanent one after a temporary one',
      { '/': redirect(303, '/a'), '/a': redirect(301, '/b'), '/b': send({}) },
      undefined,
    ],
    [
      'five',
      {
        '/': redirect(301, '/1'),
        '/1': redirect(301, '/2'),
        '/2': redirect(301, '/3'),
        '/3': redirect(301, '/4'),
        '/4': redirect(301, '/5'),
        '/5': send({}),
      },
      '/5',
    ],
  ])('%s leads to the feed, and to its new URL if all were permanent', async (_, routes, movedTo) => {
    const { origin } = await startFeedServer(byPath(routes as Parameters<typeof byPath>[0]));
    const outcome = await startFetcher().fetchFeed(`${origin}/`, {});
    expect(outcome).toMatchObject({ kind: 'fetched' });
    expect('movedTo' in outcome ? outcome.movedTo : undefined).toBe(movedTo && origin + movedTo);
  });

  it('an unchanged feed has its new URL, too', async () => {
    const { origin } = await startFeedServer(
      byPath({ '/': redirect(301, '/a'), '/a': (response) => void response.writeHead(304).end() }),
    );
    const outcome = await startFetcher().fetchFeed(`${origin}/`, { etag: '"1"' });
    expect(outcome).toEqual({ kind: 'unchanged', movedTo: `${origin}/a` });
  });

  it.each([
    ['UTF-8', Buffer.from('/Füße'), '/F%C3%BC%C3%9Fe'],
    ['Latin-1', Buffer.from('/Füße', 'latin1'), '/F%C3%BC%C3%9Fe'],
  ])('to a URL in unescaped %s are followed', async (_, location, path) => {
    const { origin } = await startFeedServer(
      byPath({ '/': redirect(301, location.toString('latin1')), [path]: send({}) }),
    );
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toMatchObject({ movedTo: origin + path });
  });

  it('relative links of the feed are relative to the final URL', async () => {
    const { origin } = await startFeedServer(
      byPath({ '/': redirect(302, '/deep/feed'), '/deep/feed': send({}, rss('<link>home</link>')) }),
    );
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toMatchObject({
      feed: { website: `${origin}/deep/home` },
    });
  });

  it.each([
    ['a circle', { '/': redirect(301, '/a'), '/a': redirect(302, '/') }, 'it redirects in a circle'],
    ['itself', { '/': redirect(302, '/') }, 'it redirects in a circle'],
    [
      'six',
      Object.fromEntries(['/', '/1', '/2', '/3', '/4', '/5'].map((path, at) => [path, redirect(301, `/${at + 1}`)])),
      'it redirects more than 5 times',
    ],
    [
      'another scheme',
      { '/': redirect(301, 'ftp://feeds.test/') },
      'it redirects to something that is not an http(s) address',
    ],
    ['nonsense', { '/': redirect(301, 'http://') }, 'it redirects to something that is not an http(s) address'],
    [
      'nowhere',
      { '/': (response: ServerResponse) => void response.writeHead(301).end() },
      'the server answered 301 (Moved Permanently)',
    ],
  ])('%s is a failure', async (_, routes, message) => {
    const { origin } = await startFeedServer(byPath(routes));
    expect(await startFetcher().fetchFeed(`${origin}/`, {})).toEqual({ kind: 'failed', message });
  });
});

describe('credentials in the URL', () => {
  it('are sent as Basic, also after a redirect within the site, and kept in the new URL', async () => {
    const { origin, requests } = await startFeedServer(byPath({ '/': redirect(301, '/a'), '/a': send({}) }));
    const url = `${origin}/`.replace('://', '://bob:p%40ss@');
    const outcome = await startFetcher().fetchFeed(url, {});
    expect(outcome).toMatchObject({ kind: 'fetched', movedTo: url + 'a' });
    const basic = `Basic ${Buffer.from('bob:p@ss').toString('base64')}`;
    expect(requests.map((request) => request.headers.authorization)).toEqual([basic, basic]);
  });

  it('in a redirect do not make a new URL, as the feed would be unavailable without them', async () => {
    const { origin } = await startFeedServer((request, response) => {
      const secret = `http://bob:pass@${request.headers.host}/feed`;
      if (request.url === '/') redirect(301, secret)(response);
      else if (request.headers.authorization === undefined) response.writeHead(401).end();
      else send({})(response);
    });
    const outcome = await startFetcher().fetchFeed(`${origin}/`, {});
    expect(Object.keys(outcome)).toEqual(['kind', 'feed']);
  });

  it('are not sent to another site', async () => {
    const other = await startFeedServer((_, response) => send({})(response));
    const { origin } = await startFeedServer((_, response) => redirect(301, `${other.origin}/`)(response));
    await startFetcher().fetchFeed(`${origin}/`.replace('://', '://bob:pass@'), {});
    expect(other.requests.map((request) => request.headers.authorization)).toEqual([undefined]);
  });

  it('appear neither in error messages nor in the feed', async () => {
    const { origin } = await startFeedServer(
      byPath({ '/feed': send({}, rss('<link>/home</link><item><enclosure url="1.mp3"/></item>')) }),
    );
    const { fetchFeed } = startFetcher();
    const secret = origin.replace('://', '://bob:pa55@');
    const closed = await startFeedServer(() => undefined);
    const all = [
      await fetchFeed(`${secret}/feed`, {}),
      await fetchFeed(`${secret}/missing`, {}),
      await fetchFeed(`http://bob:pa55@${'x'.repeat(70)}.test/`, {}),
      await fetchFeed(`http://bob:pa55@[::g]/`, {}),
      await startFetcher({ allowPrivate: false }).fetchFeed(closed.origin.replace('://', '://bob:pa55@'), {}),
    ];
    expect(all.map(({ kind }) => kind)).toEqual(['fetched', 'failed', 'failed', 'failed', 'failed']);
    expect(JSON.stringify(all)).not.toContain('pa55');
  });
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
    expect(Buffer.from(await startFetcher().fetchImage(`${origin}/`, feedAt(origin)))).toEqual(picture);
  });

  it('are refused if they are missing or larger than 5 MB', async () => {
    const { origin } = await startFeedServer(byPath({ '/large': send({}, Buffer.alloc(5_000_001)) }));
    const { fetchImage } = startFetcher();
    await expect(fetchImage(`${origin}/missing`, feedAt(origin))).rejects.toThrow(
      'the server answered 404 (Not Found)',
    );
    await expect(fetchImage(`${origin}/large`, feedAt(origin))).rejects.toThrow('it is larger than 5 MB');
  });
});
