import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { FeedParser, ParserLimits } from '../../src/feeds/parser.ts';
import { episodeInfo, parsedFeed } from '../podcasts.ts';
import { item, rss } from './samples/sample.ts';

// A worker thread cannot run TypeScript, so the parser is bundled into one file first, like podsync itself.
let folder: string;
let createFeedParser: (limits?: ParserLimits) => FeedParser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podsync-parser-'));
  const file = join(folder, 'parser.mjs');
  const bundle = await rolldown({ input: join(import.meta.dirname, '../../src/feeds/parser.ts'), platform: 'node' });
  await bundle.write({ file, codeSplitting: false });
  ({ createFeedParser } = await import(pathToFileURL(file).href));
});
afterAll(() => rm(folder, { recursive: true }));

const parsers: FeedParser[] = [];
afterEach(async () => {
  for (const parser of parsers.splice(0)) await parser.close();
});
function startParser(limits?: ParserLimits): FeedParser {
  const parser = createFeedParser(limits);
  parsers.push(parser);
  return parser;
}

const FEED_URL = 'http://feeds.test/';
const FEED = Buffer.from(rss(`<title>Grüße</title>${item('1.mp3')}`));
const read = parsedFeed({ title: 'Grüße', episodes: [episodeInfo({ url: 'http://feeds.test/1.mp3' })] });

it('parsing does not block the server', async () => {
  const parse = startParser().parse(FEED, 'text/xml', FEED_URL);
  const server = new Promise((resolve) => void setImmediate(() => resolve('the server')));
  expect(await Promise.race([parse, server])).toBe('the server');
  expect(await parse).toEqual(read);
});

it('rejects what is not a feed, and parses the next one', async () => {
  const parser = startParser();
  const [first, second] = await Promise.allSettled([
    parser.parse(Buffer.from('<html>'), undefined, FEED_URL),
    parser.parse(FEED, undefined, FEED_URL),
  ]);
  expect(first).toMatchObject({ reason: { message: 'this is not a feed: it is a web page' } });
  expect(second).toMatchObject({ value: read });
});

it('rejects a feed that takes too long, and parses the next one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const parser = startParser({ time: 20, megabytes: 512 });
  const endless = Buffer.from(rss('<item/>'.repeat(8_000_000)));
  const parsing = Promise.allSettled([
    parser.parse(endless, undefined, FEED_URL),
    parser.parse(FEED, undefined, FEED_URL),
  ]);
  await vi.advanceTimersByTimeAsync(20_000);
  const [first, second] = await parsing;
  expect(first).toMatchObject({ reason: { message: 'this feed cannot be read: it took more than 20 seconds' } });
  expect(second).toMatchObject({ value: read });
});

it('rejects a feed that takes too much memory, and parses the next one', async () => {
  const parser = startParser({ time: 20, megabytes: 32 });
  const [first, second] = await Promise.allSettled([
    parser.parse(Buffer.from(rss('<'.repeat(5_000_000))), undefined, FEED_URL),
    parser.parse(FEED, undefined, FEED_URL),
  ]);
  expect(first).toMatchObject({ reason: { message: expect.stringMatching(/^this feed cannot be read: .*memory/) } });
  expect(second).toMatchObject({ value: read });
});

it('closing rejects the current feed and those in the queue', async () => {
  const parser = startParser();
  const all = [Buffer.from(rss('<item/>'.repeat(1_000_000))), FEED].map((bytes) =>
    parser.parse(bytes, undefined, FEED_URL),
  );
  const failures = Promise.allSettled(all);
  await parser.close();
  const closing = { reason: { message: 'this feed cannot be read: podsync is closing' } };
  expect(await failures).toMatchObject([closing, closing]);
});
