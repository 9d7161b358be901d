import { expect, it } from 'vitest';
import { startFeedServer, startFetcher } from './feed-server.ts';
import { SAMPLES } from './samples/index.ts';

it.each(SAMPLES)('reads all fields of a feed with $oddity', async ({ body, contentType, expected }) => {
  const server = await startFeedServer((_, response) => {
    response.writeHead(200, contentType === undefined ? {} : { 'content-type': contentType }).end(body);
  });
  const outcome = await startFetcher().fetchFeed(`${server.origin}/feed.xml`, {});
  const feed = JSON.parse(JSON.stringify(expected).replaceAll('ORIGIN', server.origin));
  expect(outcome).toEqual({ kind: 'fetched', feed });
});
