import { describe, expect, it } from 'vitest';
import { isPublic } from '../../src/feeds/guard.ts';
import { feedAt, startFeedServer, startFetcher } from './feed-server.ts';
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
])('nothing connects to this machine by http://%s', async (host) => {
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
])('nothing connects to a name that resolves to %s', async (...addresses) => {
  const server = await startFeedServer((_, response) => void response.end(FEED));
  const { fetchFeed } = startFetcher({ allowPrivate: false, resolve: async () => addresses });
  expect(await fetchFeed(`http://feeds.test:${server.port}/`, {})).toEqual(REFUSED);
  expect(server.connections).toBe(0);
});

/** Of two addresses of this machine, one plays the part of the internet. */
const isInternet = (address: string): boolean => address === '127.0.0.1';

describe('behind a public address', () => {
  it.each([
    ['an address', (port: number) => `http://127.0.0.2:${port}/`],
    ['a name', (port: number) => `http://inside.test:${port}/`],
  ])('a redirect to %s that is private is not followed', async (_, target) => {
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

  it('a name is looked up once for each connection: what was checked is what is connected to', async () => {
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

it('pictures are fetched under the same guard', async () => {
  const server = await startFeedServer((_, response) => void response.end('picture'));
  const { fetchImage } = startFetcher({ allowPrivate: false });
  await expect(fetchImage(`${server.origin}/`, feedAt(server.origin))).rejects.toThrow(REFUSED.message);
  expect(server.connections).toBe(0);
});

describe('where private addresses are allowed', () => {
  const REFUSED_INSIDE =
    'it leads to an address that is not public, which --allow-private-feeds allows only to a feed at such an address';

  /** A feed on the internet and one inside, which both lead to what is inside, and how to fetch them. */
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

  it('a public feed does not redirect to one', async () => {
    const { fetchFeed, inside, urls } = await startBoth();
    expect(await fetchFeed(urls.public, {})).toEqual({ kind: 'failed', message: REFUSED_INSIDE });
    expect(inside.connections).toBe(0);
  });

  it('a feed at one is read, and may redirect to another', async () => {
    const { fetchFeed, inside, urls } = await startBoth();
    for (const url of [urls.private, `http://127.0.0.2:${inside.port}/`, `${urls.private}moved`]) {
      expect(await fetchFeed(url, {})).toMatchObject({ kind: 'fetched' });
    }
  });

  it('the logo of public feeds alone does not lie at one, nor redirect to one', async () => {
    const { fetchImage, inside, urls } = await startBoth();
    for (const logo of [urls.private, `http://127.0.0.2:${inside.port}/`, urls.public]) {
      await expect(fetchImage(logo, feedAt(urls.public))).rejects.toThrow(REFUSED_INSIDE);
      await expect(fetchImage(logo, feedAt())).rejects.toThrow(REFUSED_INSIDE);
    }
    expect(inside.connections).toBe(0);
  });

  it('the logo of a feed at one may lie at one', async () => {
    const { fetchImage, inside, urls } = await startBoth();
    for (const logo of [urls.private, urls.public]) {
      expect(String(await fetchImage(logo, feedAt(urls.public, urls.private)))).toContain('Private');
      expect(String(await fetchImage(logo, feedAt(`http://127.0.0.2:${inside.port}/feed`)))).toContain('Private');
    }
  });
});

it.each([0, 22, 25, 6667, 10_080])('port %i is never connected to', async (port) => {
  expect(await startFetcher().fetchFeed(`http://127.0.0.1:${port}/`, {})).toEqual({
    kind: 'failed',
    message: 'its port belongs to another service than the web',
  });
});

it('private addresses are fine where they are allowed, and no proxy is asked', async () => {
  const proxy = await startFeedServer((_, response) => void response.end());
  const server = await startFeedServer((_, response) => void response.end(FEED));
  const before = { ...process.env };
  Object.assign(process.env, { http_proxy: proxy.origin, HTTP_PROXY: proxy.origin, NODE_USE_ENV_PROXY: '1' });
  try {
    expect(await startFetcher().fetchFeed(`${server.origin}/`, {})).toMatchObject({ kind: 'fetched' });
  } finally {
    process.env = before;
  }
  expect(proxy.connections).toBe(0);
});

it.each([
  ['8.8.8.8', true],
  ['2606:4700:4700::1111', true],
  ['::ffff:8.8.8.8', true],
  ['64:ff9b::8.8.8.8', true],
  ['2002:808:808::1', true],
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
