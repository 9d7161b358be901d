import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseFeed } from '../../src/feeds/parse.ts';
import { episodeInfo, parsedFeed } from '../podcasts.ts';
import { startFeedServer, startFetcher } from './feed-server.ts';
import { item, rss } from './samples/sample.ts';

/** Seconds. */
const TIMEOUT = 0.3;
const lateAfter = (seconds: number) => ({
  kind: 'failed',
  message: `the server did not send its whole response within ${seconds} seconds`,
});
const LATE = lateAfter(TIMEOUT);
const LARGE = { kind: 'failed', message: 'it is larger than 20 MB' };

/** Writes until the connection is closed. */
function pour(response: ServerResponse, chunk: string): void {
  while (!response.destroyed && response.write(chunk));
  if (!response.destroyed) response.once('drain', () => pour(response, chunk));
}

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const bomb = (size: number): Buffer => Buffer.alloc(size, ' ');

describe('a server', () => {
  it.each<[string, (response: ServerResponse) => void, object]>([
    ['that never answers', () => undefined, LATE],
    ['that sends only headers', (response) => response.flushHeaders(), LATE],
    ['that sends a bit and stops', (response) => void response.write(rss('')), LATE],
    [
      'that never ends an error',
      (response) => void response.writeHead(500).write('no'),
      { kind: 'failed', message: 'the server answered 500 (Internal Server Error)' },
    ],
    ['that never ends', (response) => pour(response, '<item>'.repeat(10_000)), LARGE],
    [
      'that announces a response that is too large',
      (response) => void response.writeHead(200, { 'content-length': 20_000_001 }).write('<'),
      LARGE,
    ],
    ['that sends a response that is too large', (response) => void response.end(bomb(20_000_001)), LARGE],
    [
      'that closes the connection',
      (response) => void response.writeHead(200, { 'content-length': 100 }).write('<rss>', () => response.destroy()),
      { kind: 'failed', message: 'the connection was closed' },
    ],
    [
      'that sends endless headers',
      (response) => void response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end(),
      { kind: 'failed', message: 'the server sends too many headers' },
    ],
    [
      'that does not speak HTTP',
      (response) => void response.socket!.end('SSH-2.0-OpenSSH\r\n'),
      { kind: 'failed', message: 'the server does not speak HTTP' },
    ],
    [
      'that sends a gzip bomb',
      (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bomb(25_000_000))),
      LARGE,
    ],
    [
      'that sends a deflate bomb',
      (response) => void response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync(bomb(25_000_000))),
      LARGE,
    ],
    [
      'that sends a brotli bomb',
      (response) =>
        void response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(bomb(25_000_000), QUICK)),
      LARGE,
    ],
    [
      'that sends damaged brotli',
      (response) => void response.writeHead(200, { 'content-encoding': 'br' }).end('<rss>'),
      { kind: 'failed', message: 'the response is damaged: it cannot be decompressed' },
    ],
    [
      'that uses a compression that was not requested',
      (response) => void response.writeHead(200, { 'content-encoding': 'zstd' }).end('<rss>'),
      { kind: 'failed', message: 'the server uses a compression that was not requested' },
    ],
  ])('%s is a failure', async (_, answer, expected) => {
    const { origin } = await startFeedServer((_request, response) => answer(response));
    const timeout = expected === LATE ? TIMEOUT : 20;
    expect(await startFetcher({ timeout }).fetchFeed(`${origin}/`, {})).toEqual(expected);
  });

  it('that redirects slowly has one timeout for all redirects', async () => {
    const { origin, requests } = await startFeedServer((request, response) => {
      setTimeout(() => response.writeHead(302, { location: `${request.url}x` }).end(), 120);
    });
    expect(await startFetcher({ timeout: TIMEOUT }).fetchFeed(`${origin}/`, {})).toEqual(LATE);
    expect(requests.length).toBeLessThan(4);
  });

  it('whose name is never resolved fails after the timeout', async () => {
    const { fetchFeed } = startFetcher({ timeout: TIMEOUT, resolve: () => new Promise(() => undefined) });
    expect(await fetchFeed('http://feeds.test/', {})).toEqual(LATE);
  });
});

const MB = 1_000_000;
const fill = (text: string, size: number): string => text.repeat(Math.floor(size / text.length));
const ITEM = item('http://media.test/1');
const DAMAGED = 'this is not a feed: its XML is damaged';
const BOMB = 'this is not a feed: its DOCTYPE declares entities made of others, or very long ones';
const PAGE = 'this is not a feed: it is a web page';
const whole = parsedFeed({ title: 'T', episodes: [episodeInfo({ url: 'http://media.test/1' })] });

/** Each test takes a fraction of its timeout, but would take minutes if parsing were quadratic. */
describe('a feed', { timeout: 60_000 }, () => {
  const lol = Array.from({ length: 20 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');

  it.each<[string, string, object]>([
    [
      'with a DOCTYPE inside',
      rss(
        `<title>T</title><!DOCTYPE x [<!ENTITY t "http://no.test/">]>${ITEM}<itunes:author>&t;</itunes:author><itunes:image href="&t;"/>`,
      ),
      { ...whole, author: '&t;', logoUrl: 'http://feeds.test/&t;' },
    ],
    ['with nested elements', rss(`<title>T</title>${ITEM}${'<a>'.repeat(300_000)}${'</a>'.repeat(300_000)}`), whole],
    [
      'with nested categories',
      rss(`<title>T</title>${ITEM}${'<itunes:category>'.repeat(50_000)}${'</itunes:category>'.repeat(50_000)}`),
      { title: 'T' },
    ],
    ['with a giant attribute', rss(`<title>T</title>${ITEM}<x a="${fill('a', 5 * MB)}"/>`), whole],
    [
      'with 200,000 attributes',
      rss(`<title>T</title>${ITEM}<x ${Array.from({ length: 200_000 }, (_, at) => `a${at}="1"`).join(' ')}/>`),
      whole,
    ],
    [
      'with 300,000 elements, of which the last are ignored',
      rss(`<title>T</title>${ITEM}${fill('<a/>', 1.2 * MB)}${item('http://media.test/2')}`),
      whole,
    ],
    [
      'with 50,000 enclosures',
      rss(`<title>T</title><item>${fill('<enclosure url="http://media.test/1"/>', 1.85 * MB)}</item>`),
      whole,
    ],
    [
      'with many comments in a description',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description><![CDATA[${fill('<!--', MB)}]]></description>`)}`,
      ),
      whole,
    ],
    [
      'with many scripts in a description',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description><![CDATA[${fill('<script>', MB)}]]></description>`)}`,
      ),
      whole,
    ],
    [
      'with nested elements in a description',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description><![CDATA[${'<b>'.repeat(33_000)}${'</i>'.repeat(25_000)}]]></description>`)}`,
      ),
      whole,
    ],
    [
      'with many incomplete tags in a description',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description><![CDATA[${fill('<p ', MB)}]]></description>`)}`,
      ),
      { title: 'T' },
    ],
    [
      'with much white space',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description>${fill(' \n', 5 * MB)}</description><pubDate>${fill(' ', MB)}</pubDate>`)}`,
      ),
      whole,
    ],
    [
      'with a giant language tag',
      rss(`<title>T</title>${ITEM}<language>aa${fill('-aaaaaaaa', 5 * MB)}</language>`),
      whole,
    ],
    ['with many ampersands', rss(`<title>T</title>${ITEM}<x>${fill('&', 5 * MB)}</x>`), whole],
    [
      'with many references',
      rss(`<title>T</title>${item('http://media.test/1', `<guid>${fill('&amp;', MB)}</guid>`)}`),
      whole,
    ],
  ])('%s is read', (_, text, expected) => {
    expect(parseFeed(Buffer.from(text), undefined, 'http://feeds.test/')).toMatchObject(expected);
  });

  it.each([
    ['with nested entities', `<!DOCTYPE rss [<!ENTITY l0 "lol">${lol}]>${rss(`<title>T</title>${ITEM}`, '')}`, BOMB],
    [
      'with many references to a long entity',
      `<!DOCTYPE rss [<!ENTITY a "${'a'.repeat(50_000)}">]>${rss(`<title>T</title>${ITEM}<x>${fill('&a;', MB)}</x>`, '')}`,
      BOMB,
    ],
    ['inside a web page', `<!DOCTYPE html><html><body>${rss(`<title>T</title>${ITEM}`, '')}`, PAGE],
    ['with unclosed elements', rss(fill('<a>', 2 * MB)), DAMAGED],
    ['with unclosed items', rss(fill('<item>', 2 * MB)), DAMAGED],
    ['with unclosed comments', rss(fill('<!--', MB)), DAMAGED],
    ['with unclosed CDATA', rss(fill('<![CDATA[', MB)), DAMAGED],
    ['with unclosed instructions', rss(fill('<?', MB)), DAMAGED],
    ['with unclosed quotation marks', rss(fill('<a "', MB)), DAMAGED],
    ['with incomplete root tags', fill('<rss ', MB), 'this is not a feed: it is neither RSS nor Atom'],
    ['with incomplete channel tags', `<rss>${fill('<channel ', MB)}`, 'this is not a feed: it is empty'],
    ['with the names of prototypes', rss('<title>T</title><__proto__><polluted>1</polluted></__proto__>'), DAMAGED],
  ])('%s is refused', (_, text, message) => {
    expect(() => parseFeed(Buffer.from(text), undefined, 'http://feeds.test/')).toThrow(new Error(message));
    expect({}).not.toHaveProperty('polluted');
  });
});

it('only the first feed of an unresponsive host waits for the timeout, but each feed of a slow host does', async () => {
  const { port, requests } = await startFeedServer((request, response) => {
    if (request.headers.host!.startsWith('slow.')) response.flushHeaders();
    if (request.headers.host!.startsWith('good.')) response.end(rss('<title>T</title>'));
  });
  // Enough for the hosts that answer, even on a busy machine.
  const timeout = 1.5;
  const late = lateAfter(timeout);
  const { fetchFeed } = startFetcher({ timeout, resolve: async () => ['127.0.0.1'] });
  const read = (host: string, n: number) => fetchFeed(`http://${host}.test:${port}/${n}`, {});
  const [dead, slow] = await Promise.all([
    Promise.all([1, 2, 3].map((n) => read('dead', n))),
    read('slow', 1).then(async (first) => [first, await read('slow', 2)]),
  ]);
  const refused = { kind: 'failed', message: 'another feed on this server has just timed out' };
  expect(dead).toEqual([late, refused, refused]);
  expect(slow).toEqual([late, late]);
  expect(await read('good', 1)).toMatchObject({ kind: 'fetched' });
  expect(requests.map(({ headers }) => headers.host!.split('.')[0]).toSorted()).toEqual([
    'dead',
    'good',
    'slow',
    'slow',
  ]);
});

it('a slow feed that redirects to another host does not make that one count as unresponsive', async () => {
  const timeout = 1.5;
  const { port } = await startFeedServer((request, response) => {
    if (request.url === '/good') response.end(rss('<title>T</title>'));
    if (request.url !== '/late') return;
    setTimeout(() => response.writeHead(302, { location: `http://good.test:${port}/silent` }).end(), timeout * 850);
  });
  const { fetchFeed } = startFetcher({ timeout, resolve: async () => ['127.0.0.1'] });
  expect(await fetchFeed(`http://late.test:${port}/late`, {})).toEqual(lateAfter(timeout));
  expect(await fetchFeed(`http://good.test:${port}/good`, {})).toMatchObject({ kind: 'fetched' });
});
