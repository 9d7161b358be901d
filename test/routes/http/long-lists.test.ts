import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage } from '../../garbage.ts';
import { recordFeed } from '../../podcasts.ts';
import { openTestServer, type TestServer } from '../../server.ts';

const auth = 'bob:secret';
const READERS = 10;
/** Bytes. The whole list would be 8 MB or more. */
const MOST_PER_READER = 2_400_000;

/** A list of the maximum number of URLs of about this length; with the maximum length, 60 MB as JSON. */
async function openWithLongest(length = 8000): Promise<TestServer> {
  const server = await openTestServer({ maxBody: 16 * 1024 * 1024 }, 'socket');
  const urls = Array.from({ length: 1000 }, (_, at) => `http://example.org/?${at}${'&'.repeat(length)}x`);
  const body = urls.join('\n');
  expect((await server.request('POST', '/api/2/lists/bob/create.txt?title=x', { auth, body })).status).toBe(303);
  return server;
}

/** Sends a request, and stops reading when the response has started. */
const stall = (url: string): Promise<[ClientRequest, IncomingMessage]> =>
  new Promise((resolve, reject) => {
    const sent = get(url, { agent: false }, (answer) => {
      answer.once('readable', () => resolve([sent, answer]));
    }).on('error', reject);
  });

/** Memory of this process without garbage, in bytes: buffers are freed some turns after the collection that found them. */
async function measure(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    collectGarbage();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it.each(['json', 'jsonp', 'txt', 'opml'])(
  'clients that stop reading the longest list take little memory (%s)',
  async (format) => {
    const server = await openWithLongest();
    const url = `${server.origin}/api/2/lists/bob/list/x.${format}?jsonp=take`;
    const readers = [await stall(url)]; // includes the memory that all readers share
    const before = await measure();
    while (readers.length <= READERS) readers.push(await stall(url));
    expect((await measure()) - before).toBeLessThan(READERS * MOST_PER_READER);
    for (const [sent, answer] of readers) {
      answer.on('error', () => undefined);
      sent.destroy();
    }
  },
);

it('clients that stop reading updates of many feeds take little memory', async () => {
  const server = await openTestServer({}, 'socket');
  const feeds = Array.from({ length: 100 }, (_, at) => `http://example.org/${at}`);
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: feeds });
  for (const feed of feeds) {
    const episodes = Array.from({ length: 50 }, (_, at) => ({
      url: `${feed}/${at}.mp3`,
      description: 'x'.repeat(3000),
    }));
    await recordFeed(server.storage, feed, {}, episodes);
  }
  const path = '/api/2/updates/bob/phone.json?since=0';
  const url = `${server.origin!.replace('//', `//${auth}@`)}${path}`;
  const readers = [await stall(url)];
  const before = await measure();
  while (readers.length <= READERS) readers.push(await stall(url));
  expect((await measure()) - before).toBeLessThan(READERS * MOST_PER_READER);
  for (const [sent, answer] of readers) {
    answer.on('error', () => undefined);
    sent.destroy();
  }
  const { updates }: any = await (await server.request('GET', path, { auth })).json();
  expect(updates).toHaveLength(5000);
});

it('a list that is too long to buffer is sent completely in every format', async () => {
  const server = await openWithLongest(1000);
  const get = (format: string): Promise<Response> =>
    server.request('GET', `/api/2/lists/bob/list/x.${format}?jsonp=take`);
  const txt = await (await get('txt')).text();
  const urls = txt.split('\n').slice(0, -1);
  expect(urls).toHaveLength(1000);
  const answer = await get('json');
  expect([answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual(['public, no-cache', null]);
  const json = await answer.text();
  expect((JSON.parse(json) as { url: string }[]).map(({ url }) => url)).toEqual(urls);
  expect(await (await get('jsonp')).text()).toBe(`take(${json});`);
  const opml = await (await get('opml')).text();
  expect([...opml.matchAll(/xmlUrl="([^"]*)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&'))).toEqual(urls);
  expect(opml).toMatch(/<\/opml>\n$/);
});

it('long lists and profiles have pages of a hundred', async () => {
  const { request, storage } = await openTestServer();
  const urls = Array.from({ length: 250 }, (_, at) => `http://example.org/${at}`);
  await request('POST', '/api/2/lists/bob/create.json?title=x', { auth, body: urls });
  await request('PUT', '/subscriptions/bob/phone.json', { auth, body: urls });
  await recordFeed(storage, urls[249]!, { title: 'The last' });
  for (const [path, summary] of [
    ['/user/bob/lists/x', 'A list by bob, 250 podcasts'],
    ['/user/bob', 'bob subscribes to 250 podcasts'],
  ]) {
    const shown: string[] = [];
    for (const [page, links] of [
      ['', ['2']],
      ['?page=2', ['1', '3']],
      ['?page=3', ['2']],
    ] as const) {
      const html = await (await request('GET', `${path}${page}`)).text();
      expect(html).toContain(summary);
      shown.push(...[...html.matchAll(/\/podcast\?url=([^"]*)/g)].map(([, url]) => decodeURIComponent(url!)));
      expect([...html.matchAll(/href="\?page=(\d+)"/g)].map(([, number]) => number)).toEqual(links);
      expect(html.includes('>The last</a>')).toBe(page === '?page=3');
    }
    expect(shown).toEqual(urls);
    for (const [page, status] of [
      ['4', 404],
      ['0', 400],
      ['x', 400],
    ] as const) {
      expect((await request('GET', `${path}?page=${page}`)).status).toBe(status);
    }
  }
  const opml = await (await request('GET', '/user/bob/subscriptions.opml')).text();
  expect([...opml.matchAll(/xmlUrl="([^"]*)"/g)].map(([, url]) => url)).toEqual(urls);
  expect(opml).toContain('title="The last"');
});
