import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { startFeedServer, startFetcher } from '../feeds/feed-server.ts';
import { item, rss } from '../feeds/samples/sample.ts';
import { openTestServer } from '../server.ts';

const auth = 'bob:secret';
const FEED = rss(`<title>Fine</title>${item('http://media.test/1.mp3', '<title>One</title>')}`);
const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join('');
const BOMB = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a0 "bomb">${entities}]><rss><channel><title>&a9;</title></channel></rss>`;

const LATE = /did not send its whole response/;

function pour(response: ServerResponse): void {
  while (!response.destroyed && response.write('<item>'.repeat(10_000)));
  if (!response.destroyed) response.once('drain', () => pour(response));
}

it.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['an entity bomb', (response) => response.end(BOMB), /DOCTYPE/],
  ['an error page that says that all is well', (response) => response.end('<!DOCTYPE html><h1>503</h1>'), /web page/],
  ['an error', (response) => response.writeHead(503).end('Back soon'), /503/],
  ['nothing', (response) => response.end(), /empty/],
  ['broken XML', (response) => response.end('<rss><channel><title>Fi'), /damaged|empty/],
  ['a redirect to itself', (response) => response.writeHead(302, { location: '/' }).end(), /redirects in a loop/],
  ['a silent server', () => undefined, LATE],
  ['a feed without an end', pour, /larger than 20 MB/],
  [
    'a bomb of gzip',
    (response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(25_000_000, ' '), { level: 1 })),
    /larger than 20 MB/,
  ],
])(
  'a feed that turns into %s keeps its content, and shows the error and the next attempt',
  async (_, answer, error) => {
    let isFine = true;
    const { origin } = await startFeedServer((_request, response) => {
      if (isFine) response.end(FEED);
      else answer(response);
    });
    const url = `${origin}/`;
    const timeout = error === LATE ? 2 : 20;
    const server = await openTestServer({ fetcher: startFetcher({ timeout }) });
    await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [url] });
    const { feeds, directory } = server.services;
    expect(await feeds.update({ url })).toEqual({ tried: 1, failed: [] });
    const fetchedAt = server.clock.now;
    server.clock.now += 86_400;
    isFine = false;
    expect(await feeds.update({ url })).toEqual({ tried: 1, failed: [{ url, error: expect.stringMatching(error) }] });
    expect(await directory.podcast(url)).toMatchObject({ podcast: { title: 'Fine' } });
    expect(await directory.episodes(url, 9)).toMatchObject([{ title: 'One', url: 'http://media.test/1.mp3' }]);
    const state = await server.storage.podcasts.feed(url);
    expect(state).toMatchObject({ failures: 1, fetchedAt, error: expect.stringMatching(error) });
    expect(state!.nextAt).toBeGreaterThan(server.clock.now);
  },
);
