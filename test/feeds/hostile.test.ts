import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseFeed } from '../../src/feeds/parse.ts';
import { startFeedServer, startFetcher } from './feed-server.ts';
import { episode, feed, item, rss } from './samples/sample.ts';

/** Seconds. What takes this long shows that something has no end. */
const TIMEOUT = 0.3;
const LATE = { kind: 'failed', message: 'the server did not answer in full within 0.3 seconds' };
const LARGE = { kind: 'failed', message: 'it is larger than 20 MB' };

/** Writes for as long as anyone listens. */
function pour(response: ServerResponse, chunk: string): void {
  while (!response.destroyed && response.write(chunk));
  if (!response.destroyed) response.once('drain', () => pour(response, chunk));
}

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const bomb = (size: number): Buffer => Buffer.alloc(size, ' ');

describe('a server', () => {
  it.each<[string, (response: ServerResponse) => void, object]>([
    ['that never answers', () => undefined, LATE],
    ['that sends headers alone', (response) => response.flushHeaders(), LATE],
    ['that sends a bit and stops', (response) => void response.write(rss('')), LATE],
    [
      'that never ends an error',
      (response) => void response.writeHead(500).write('no'),
      { kind: 'failed', message: 'the server answered 500 (Internal Server Error)' },
    ],
    ['that never ends', (response) => pour(response, '<item>'.repeat(10_000)), LARGE],
    [
      'that threatens to send more than it may',
      (response) => void response.writeHead(200, { 'content-length': 20_000_001 }).write('<'),
      LARGE,
    ],
    ['that sends more than it may', (response) => void response.end(bomb(20_000_001)), LARGE],
    [
      'that breaks off',
      (response) => void response.writeHead(200, { 'content-length': 100 }).write('<rss>', () => response.destroy()),
      { kind: 'failed', message: 'the connection broke off' },
    ],
    [
      'that sends endless headers',
      (response) => void response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end(),
      { kind: 'failed', message: 'the server sends too many headers' },
    ],
    [
      'that does not speak HTTP',
      (response) => void response.socket!.end('SSH-2.0-OpenSSH\r\n'),
      { kind: 'failed', message: 'the server does not answer as a web server does' },
    ],
    [
      'that sends a bomb of gzip',
      (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bomb(25_000_000))),
      LARGE,
    ],
    [
      'that sends a bomb of deflate',
      (response) => void response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync(bomb(25_000_000))),
      LARGE,
    ],
    [
      'that sends a bomb of brotli',
      (response) =>
        void response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(bomb(25_000_000), QUICK)),
      LARGE,
    ],
    [
      'that sends damaged brotli',
      (response) => void response.writeHead(200, { 'content-encoding': 'br' }).end('<rss>'),
      { kind: 'failed', message: 'what the server sends is damaged: it cannot be decompressed' },
    ],
    [
      'that compresses as it likes',
      (response) => void response.writeHead(200, { 'content-encoding': 'zstd' }).end('<rss>'),
      { kind: 'failed', message: 'the server compresses in a way that it was not asked for' },
    ],
  ])('%s is a failure', async (_, answer, expected) => {
    const { origin } = await startFeedServer((_request, response) => answer(response));
    const timeout = expected === LATE ? TIMEOUT : 20;
    expect(await startFetcher({ timeout }).fetchFeed(`${origin}/`, {})).toEqual(expected);
  });

  it('that redirects slowly has the same time in all', async () => {
    const { origin, requests } = await startFeedServer((request, response) => {
      setTimeout(() => response.writeHead(302, { location: `${request.url}x` }).end(), 120);
    });
    expect(await startFetcher({ timeout: TIMEOUT }).fetchFeed(`${origin}/`, {})).toEqual(LATE);
    expect(requests.length).toBeLessThan(4);
  });

  it('whose name is looked up for ever has the same time in all', async () => {
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
const whole = feed({ title: 'T', episodes: [episode({ url: 'http://media.test/1' })] });

/** Each takes a fraction of the time that a test has, and would take minutes if any of it was quadratic. */
describe('a feed', { timeout: 20_000 }, () => {
  const lol = Array.from({ length: 20 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');

  it.each<[string, string, object]>([
    [
      'of declarations inside',
      rss(
        `<title>T</title><!DOCTYPE x [<!ENTITY t "http://no.test/">]>${ITEM}<itunes:author>&t;</itunes:author><itunes:image href="&t;"/>`,
      ),
      { ...whole, author: '&t;', logoUrl: 'http://feeds.test/&t;' },
    ],
    ['of elements in elements', rss(`<title>T</title>${ITEM}${'<a>'.repeat(300_000)}${'</a>'.repeat(300_000)}`), whole],
    [
      'of categories in categories',
      rss(`<title>T</title>${ITEM}${'<itunes:category>'.repeat(50_000)}${'</itunes:category>'.repeat(50_000)}`),
      { title: 'T' },
    ],
    ['of one giant attribute', rss(`<title>T</title>${ITEM}<x a="${fill('a', 5 * MB)}"/>`), whole],
    [
      'of 200,000 attributes',
      rss(`<title>T</title>${ITEM}<x ${Array.from({ length: 200_000 }, (_, at) => `a${at}="1"`).join(' ')}/>`),
      whole,
    ],
    [
      'of 300,000 elements, of which the first count',
      rss(`<title>T</title>${ITEM}${fill('<a/>', 1.2 * MB)}${item('http://media.test/2')}`),
      whole,
    ],
    [
      'of 50,000 enclosures',
      rss(`<title>T</title><item>${fill('<enclosure url="http://media.test/1"/>', 1.85 * MB)}</item>`),
      whole,
    ],
    [
      'of comments in a description',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description><![CDATA[${fill('<!--', MB)}]]></description>`)}`,
      ),
      whole,
    ],
    [
      'of scripts in a description',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description><![CDATA[${fill('<script>', MB)}]]></description>`)}`,
      ),
      whole,
    ],
    [
      'of elements in elements in a description',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description><![CDATA[${'<b>'.repeat(33_000)}${'</i>'.repeat(25_000)}]]></description>`)}`,
      ),
      whole,
    ],
    [
      'of half tags in a description',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description><![CDATA[${fill('<p ', MB)}]]></description>`)}`,
      ),
      { title: 'T' },
    ],
    [
      'of blanks',
      rss(
        `<title>T</title>${item('http://media.test/1', `<description>${fill(' \n', 5 * MB)}</description><pubDate>${fill(' ', MB)}</pubDate>`)}`,
      ),
      whole,
    ],
    [
      'of a language without end',
      rss(`<title>T</title>${ITEM}<language>aa${fill('-aaaaaaaa', 5 * MB)}</language>`),
      whole,
    ],
    ['of ampersands', rss(`<title>T</title>${ITEM}<x>${fill('&', 5 * MB)}</x>`), whole],
    [
      'of references',
      rss(`<title>T</title>${item('http://media.test/1', `<guid>${fill('&amp;', MB)}</guid>`)}`),
      whole,
    ],
  ])('%s is read', (_, text, expected) => {
    expect(parseFeed(Buffer.from(text), undefined, 'http://feeds.test/')).toMatchObject(expected);
  });

  it.each([
    ['of entities in entities', `<!DOCTYPE rss [<!ENTITY l0 "lol">${lol}]>${rss(`<title>T</title>${ITEM}`, '')}`, BOMB],
    [
      'of one long entity, many times',
      `<!DOCTYPE rss [<!ENTITY a "${'a'.repeat(50_000)}">]>${rss(`<title>T</title>${ITEM}<x>${fill('&a;', MB)}</x>`, '')}`,
      BOMB,
    ],
    ['of a web page that speaks of feeds', `<!DOCTYPE html><html><body>${rss(`<title>T</title>${ITEM}`, '')}`, PAGE],
    ['of unclosed elements', rss(fill('<a>', 2 * MB)), DAMAGED],
    ['of unclosed items', rss(fill('<item>', 2 * MB)), DAMAGED],
    ['of unclosed comments', rss(fill('<!--', MB)), DAMAGED],
    ['of unclosed CDATA', rss(fill('<![CDATA[', MB)), DAMAGED],
    ['of unclosed instructions', rss(fill('<?', MB)), DAMAGED],
    ['of unclosed quotation marks', rss(fill('<a "', MB)), DAMAGED],
    ['of half roots', fill('<rss ', MB), 'this is not a feed: it is neither RSS nor Atom'],
    ['of half channels', `<rss>${fill('<channel ', MB)}`, 'this is not a feed: it is empty'],
    ['with the names of prototypes', rss('<title>T</title><__proto__><polluted>1</polluted></__proto__>'), DAMAGED],
  ])('%s is refused', (_, text, message) => {
    expect(() => parseFeed(Buffer.from(text), undefined, 'http://feeds.test/')).toThrow(new Error(message));
    expect({}).not.toHaveProperty('polluted');
  });
});

it('a host that does not answer is waited for once, not for each of its feeds; one that is slow is', async () => {
  const { port, requests } = await startFeedServer((request, response) => {
    if (request.headers.host!.startsWith('slow.')) response.flushHeaders();
    if (request.headers.host!.startsWith('good.')) response.end(rss('<title>T</title>'));
  });
  const { fetchFeed } = startFetcher({ timeout: TIMEOUT, resolve: async () => ['127.0.0.1'] });
  const read = (host: string, n: number) => fetchFeed(`http://${host}.test:${port}/${n}`, {});
  const dead = await Promise.all([1, 2, 3].map((n) => read('dead', n)));
  const refused = { kind: 'failed', message: 'the server did not answer when another feed of it was asked for' };
  expect(dead).toEqual([LATE, refused, refused]);
  expect([await read('slow', 1), await read('slow', 2)]).toEqual([LATE, LATE]);
  expect(await read('good', 1)).toMatchObject({ kind: 'fetched' });
  expect(requests.map(({ headers }) => headers.host!.split('.')[0])).toEqual(['dead', 'slow', 'slow', 'good']);
});
