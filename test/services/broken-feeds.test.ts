import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startFeedServer, startFetcher } from '../feeds/feed-server.ts';
import { item, rss } from '../feeds/samples/sample.ts';
import { openTestServer } from '../server.ts';

const auth = 'bob:secret';
const FEED = rss(`<title>Fine</title>${item('http://media.test/1.mp3', '<title>One</title>')}`);

/* What else a server may answer, and why that is a failure, is tested in `test/feeds`. */
it.each<[string, (response: ServerResponse) => void, string]>([
  ['an error', (response) => response.writeHead(503).end(FEED), 'the server answered 503 (Service Unavailable)'],
  ['its first bytes', (response) => response.end('<rss><channel><title>Fi'), 'this is not a feed: it is empty'],
])('a feed that turns into %s keeps its content, and has the error and the next attempt', async (_, answer, error) => {
  let isFine = true;
  const { origin } = await startFeedServer((_request, response) => {
    if (isFine) response.end(FEED);
    else answer(response);
  });
  const url = `${origin}/`;
  const server = await openTestServer({ fetcher: startFetcher() });
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [url] });
  const { feeds, directory } = server.services;
  expect(await feeds.update({ url })).toEqual({ tried: 1, failed: [] });
  const fetchedAt = server.clock.now;
  server.clock.now += 86_400;
  isFine = false;
  expect(await feeds.update({ url })).toEqual({ tried: 1, failed: [{ url, error }] });
  expect(await directory.podcast(url)).toMatchObject({ podcast: { title: 'Fine' } });
  expect(await directory.episodes(url, 9)).toMatchObject([{ title: 'One', url: 'http://media.test/1.mp3' }]);
  const state = await server.storage.podcasts.feed(url);
  expect(state).toMatchObject({ failures: 1, fetchedAt, error });
  expect(state!.nextAt).toBeGreaterThan(server.clock.now);
});
