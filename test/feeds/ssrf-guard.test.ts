import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isPublic } from '../../src/feeds/ssrf-guard.ts';
import { openTestServer } from '../server.ts';
import { startFeedServer, startFetcher } from './feed-server.ts';
import { rss } from './samples/sample.ts';

const REFUSED = { kind: 'failed', message: 'it is not at a public address, and --allow-private-feeds is off' };
const FEED = rss('<title>Private</title>');

it.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '127.0.0.1.',
  '①②⑦.0.0.1',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  'localhost',
])('does not connect to this machine at http://%s', async (host) => {
  const server = await startFeedServer((_, response) => void response.end(FEED), '0.0.0.0');
  const outcome = await startFetcher({ allowPrivate: false }).fetchFeed(`http://${host}:${server.port}/`, {});
  expect(outcome).toEqual(REFUSED);
  expect(server.connections).toBe(0);
});

it.each([
  ['10.0.0.1'],
  ['169.254.169.254'],
  ['100.64.0.1'],
  ['::ffff:10.0.0.1'],
  ['fd00::1'],
  ['fe80::1'],
  ['127.0.0.1'],
  ['127.0.0.1', '93.184.215.14'],
  ['93.184.215.14', '127.0.0.1'],
])('does not connect to a name that resolves to %s', async (...addresses) => {
  const server = await startFeedServer((_, response) => void response.end(FEED));
  const { fetchFeed } = startFetcher({ allowPrivate: false, resolve: async () => addresses });
  expect(await fetchFeed(`http://feeds.test:${server.port}/`, {})).toEqual(REFUSED);
  expect(server.connections).toBe(0);
});

/** One of two addresses of this machine stands for the internet. */
const isInternet = (address: string): boolean => address === '127.0.0.1';

describe('with a public address', () => {
  it.each([
    ['an address', (port: number) => `http://127.0.0.2:${port}/`],
    ['a name', (port: number) => `http://inside.test:${port}/`],
  ])('does not follow a redirect to %s that is private', async (_, target) => {
    const inside = await startFeedServer((_request, response) => void response.end(FEED), '0.0.0.0');
    const outside = await startFeedServer(
      (_request, response) => void response.writeHead(302, { location: target(inside.port) }).end(),
    );
    const { fetchFeed } = startFetcher({
      allowPrivate: false,
      isPublic: isInternet,
      resolve: async (host) => [host === 'inside.test' ? '127.0.0.2' : '127.0.0.1'],
    });
    expect(await fetchFeed(`http://outside.test:${outside.port}/`, {})).toEqual(REFUSED);
    expect([outside.connections, inside.connections]).toEqual([1, 0]);
  });

  it('resolves a name once for each connection, and connects to the address that it checked', async () => {
    const server = await startFeedServer((_, response) => void response.end(FEED));
    const answers = ['127.0.0.1', '127.0.0.2'];
    const { fetchFeed } = startFetcher({
      allowPrivate: false,
      isPublic: isInternet,
      resolve: async () => [answers.shift()!],
    });
    expect(await fetchFeed(`http://rebinding.test:${server.port}/`, {})).toMatchObject({ kind: 'fetched' });
    expect(answers).toEqual(['127.0.0.2']);
  });
});

it('does not fetch images from private addresses', async () => {
  const server = await startFeedServer((_, response) => void response.end('picture'));
  const { fetchImage } = startFetcher({ allowPrivate: false });
  await expect(fetchImage(`${server.origin}/`, [server.origin])).rejects.toThrow(REFUSED.message);
  expect(server.connections).toBe(0);
});

describe('if private addresses are allowed', () => {
  const REFUSED_INSIDE =
    'it leads to a private address, which --allow-private-feeds allows only for a feed that is at a private address itself';

  /** A public and a private feed, which both lead to a private address, and a fetcher. */
  async function startBoth() {
    const inside = await startFeedServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
      else response.end(FEED);
    }, '127.0.0.2');
    const outside = await startFeedServer(
      (_request, response) => void response.writeHead(302, { location: `http://inside.test:${inside.port}/` }).end(),
    );
    const fetcher = startFetcher({
      isPublic: isInternet,
      resolve: async (host) => [host === 'inside.test' ? '127.0.0.2' : '127.0.0.1'],
    });
    const urls = { public: `http://outside.test:${outside.port}/`, private: `http://inside.test:${inside.port}/` };
    return { ...fetcher, inside, urls };
  }

  it('does not follow a redirect of a public feed to a private address', async () => {
    const { fetchFeed, inside, urls } = await startBoth();
    expect(await fetchFeed(urls.public, {})).toEqual({ kind: 'failed', message: REFUSED_INSIDE });
    expect(inside.connections).toBe(0);
  });

  it('does not fetch the new address that a public feed announces, if that is private', async () => {
    const { inside, urls, ...fetcher } = await startBoth();
    const outside = await startFeedServer(
      (_, response) =>
        void response.end(rss(`<title>Public</title><itunes:new-feed-url>${urls.private}</itunes:new-feed-url>`)),
    );
    const feed = `http://outside.test:${outside.port}/`;
    const { request, services } = await openTestServer({ fetcher });
    await request('PUT', '/subscriptions/bob/phone.json', { auth: 'bob:secret', body: [feed] });
    expect(await services.feeds.update({ url: feed })).toEqual({ tried: 1, failed: [] });
    expect((await services.directory.podcast(feed)).podcast.title).toBe('Public');
    expect(inside.connections).toBe(0);
  });

  it('fetches a private feed, and follows its redirect to another private address', async () => {
    const { fetchFeed, inside, urls } = await startBoth();
    for (const url of [urls.private, `http://127.0.0.2:${inside.port}/`, `${urls.private}moved`]) {
      expect(await fetchFeed(url, {})).toMatchObject({ kind: 'fetched' });
    }
  });

  it('fetches a feed whose name has a public and a private address', async () => {
    const inside = await startFeedServer((_, response) => void response.end(FEED), '127.0.0.2');
    const resolve = async (): Promise<string[]> => ['127.0.0.1', '127.0.0.2'];
    const { fetchFeed } = startFetcher({ isPublic: isInternet, resolve });
    expect(await fetchFeed(`http://both.test:${inside.port}/`, {})).toMatchObject({ kind: 'fetched' });
  });

  it('does not fetch the logo of a public feed from a private address, even after a redirect', async () => {
    const { fetchImage, inside, urls } = await startBoth();
    for (const logo of [urls.private, `http://127.0.0.2:${inside.port}/`, urls.public]) {
      await expect(fetchImage(logo, [urls.public])).rejects.toThrow(REFUSED_INSIDE);
      await expect(fetchImage(logo, [])).rejects.toThrow(REFUSED_INSIDE);
    }
    expect(inside.connections).toBe(0);
  });

  it('fetches the logo of a private feed from a private address', async () => {
    const { fetchImage, inside, urls } = await startBoth();
    for (const logo of [urls.private, urls.public]) {
      expect(String(await fetchImage(logo, [urls.public, urls.private]))).toContain('Private');
      expect(String(await fetchImage(logo, [`http://127.0.0.2:${inside.port}/feed`]))).toContain('Private');
    }
  });
});

it.each([0, 22, 25, 6667, 10_080])('does not connect to port %i', async (port) => {
  expect(await startFetcher().fetchFeed(`http://127.0.0.1:${port}/`, {})).toEqual({
    kind: 'failed',
    message: 'its port belongs to a service other than the web',
  });
});

it('ignores proxy variables', async () => {
  const proxy = await startFeedServer((_, response) => void response.end());
  const server = await startFeedServer((_, response) => void response.end(FEED));
  for (const name of ['http_proxy', 'HTTP_PROXY']) vi.stubEnv(name, proxy.origin);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await startFetcher().fetchFeed(`${server.origin}/`, {})).toMatchObject({ kind: 'fetched' });
  expect(proxy.connections).toBe(0);
});

it.each([
  ['8.8.8.8', true],
  ['2606:4700:4700::1111', true],
  ['::ffff:8.8.8.8', true],
  ['64:ff9b::8.8.8.8', true],
  ['2002:808:808::1', true],
  ['168.63.129.16', false],
  ['192.0.2.1', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::808:808', false],
  ['64:ff9b:1::8.8.8.8', false],
  ['64:ff9b::10.0.0.1', false],
  ['2002:a00:1::', false],
  ['2001:0:808:808::1', false],
  ['2001:db8::1', false],
  ['fec0::1', false],
  ['ff02::1', false],
  ['', false],
  ['example.org', false],
])('%j is public: %j', (address, expected) => {
  expect(isPublic(address)).toBe(expected);
});
