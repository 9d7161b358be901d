import { performance } from 'node:perf_hooks';
import { parseFeed } from '../../../dist/src/feeds/parse.js';
import { openStorage } from '../../../dist/src/storage/open.js';
import { logIn } from '../client.mjs';
import { load, request, requests, seconds } from '../load.mjs';
import { alternate, median } from '../rounds.mjs';
import { copyData, createData, startBare, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

/** Another number for memory: `PODSYNC_BENCH_PODCASTS=100000 npm run bench -- 'users: resident'`. */
const PODCASTS = Number(process.env.PODSYNC_BENCH_PODCASTS ?? 20_000);
const USERS = 1000;
const SUBSCRIPTIONS = 50;
/** Feeds that one account may add to the directory. */
const MAX_NEW_FEEDS_PER_DAY = 2000;
/** These users request suggestions; the others cannot log in. */
const READERS = Array.from({ length: 16 }, (_, index) => `reader-${index}`);

/** Pseudo-random numbers, the same in every run. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
const random = createRandom(1);
/** A few words make up most of the text, as in all languages. */
const WORDS = Array.from(
  { length: 40_000 },
  (_, rank) => `${['ra', 'to', 'mi', 'sel', 'kan'][rank % 5]}${rank.toString(36)}`,
);
const word = () => WORDS[Math.floor(WORDS.length * random() ** 4)];
const words = (count) => Array.from({ length: count }, word).join(' ');
const feed = (n) => `https://feeds-${n % 997}.example.org/show-${n}/feed.xml`;
/** A few podcasts have most of the subscribers. */
const pick = () => feed(Math.floor(PODCASTS * random() ** 2));

/** Fills a data folder through the storage plugin, as fetching 20,000 feeds would take hours. */
async function fill(dataDir) {
  const now = () => Math.floor(Date.now() / 1000);
  const storage = await openStorage('json', dataDir, { dataDir, now, overlap: 120, log: console.error });
  const everything = Array.from({ length: PODCASTS }, (_, n) => feed(n));
  const names = Array.from({ length: USERS - READERS.length }, (_, n) => `user-${n}`);
  for (const name of names) await storage.users.create({ name, passwordHash: 'of nobody' });
  const users = (await storage.users.all()).map(({ id }) => id);
  for (let at = 0; at < PODCASTS; at += MAX_NEW_FEEDS_PER_DAY) {
    await storage.subscriptions.replace(
      users[at / MAX_NEW_FEEDS_PER_DAY],
      'phone',
      everything.slice(at, at + MAX_NEW_FEEDS_PER_DAY),
    );
  }
  await Promise.all(everything.map((url) => storage.podcasts.record(url, toReading(url))));
  for (const user of users) {
    await storage.subscriptions.replace(user, 'phone', Array.from({ length: SUBSCRIPTIONS }, pick));
  }
  await storage.close();
}

function toReading(url) {
  const podcast = {
    title: words(4),
    author: words(2),
    description: words(80),
    website: `${url}/about`,
    logoUrl: `${url}/logo.png`,
    language: 'en',
    tags: [word(), word(), 'News'],
    blocked: false,
  };
  const state = { url, intervalSeconds: 3600, failures: 0, nextAt: 4_000_000_000, fetchedAt: 1_700_000_000 };
  return { state, content: { podcast, episodes: [] } };
}

async function open() {
  const folder = await createData(READERS);
  await fill(folder);
  const spare = await copyData(folder);
  const began = performance.now();
  const podsync = await startPodsync(folder);
  const startedIn = performance.now() - began;
  const toplist = await (await fetch(`${podsync.url}/toplist/100.json`)).json();
  const bare = await startBare([{ method: 'GET', path: '/toplist/100.json', answer: toplist }]);
  const searchBegan = performance.now();
  await fetch(`${podsync.url}/search.json?q=warm`);
  return { spare, podsync, bare, startedIn, indexedIn: performance.now() - searchBegan };
}

const close = ({ podsync, bare }) => Promise.all([podsync.stop(), bare.stop()]);

async function compareToplist({ podsync, bare }) {
  const next = () => request('GET', '/toplist/100.json', {});
  const run = (server, long) => load({ url: server.url, next, until: seconds(long) });
  await alternate(1, [() => run(bare, 1), () => run(podsync, 1)]); // to warm up
  const rounds = await alternate(3, [() => run(bare, 2), () => run(podsync, 2)]);
  const rate = (side) => formatNumber(median(rounds.map((round) => round[side].rate)));
  return {
    value: median(rounds.map(([left, right]) => right.rate / left.rate)),
    note: `${rate(1)}/s of ${rate(0)}/s`,
  };
}

/** 99 of 100 answers come within this, one at a time. */
async function measureLatency({ podsync }, next) {
  const { p99, rate } = await load({ url: podsync.url, next, until: requests(1000), connections: 1 });
  return { value: p99, note: `${formatNumber(rate)}/s, one at a time` };
}

const EPISODE = `<item><title>${words(6)}</title><guid>GUID</guid><pubDate>Tue, 14 Nov 2023 10:00:00 GMT</pubDate>
<description><![CDATA[<p>${words(150)}</p>]]></description>
<enclosure url="https://media.example.org/GUID.mp3" type="audio/mpeg" length="1"/></item>`;

function measureParsing() {
  const items = Array.from({ length: 4000 }, (_, n) => EPISODE.replaceAll('GUID', `episode-${n}`)).join('\n');
  const text = `<?xml version="1.0"?><rss version="2.0"><channel><title>Large</title>${items}</channel></rss>`;
  const bytes = Buffer.from(text);
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    parseFeed(bytes, 'application/rss+xml', 'https://feeds.example.org/large.xml');
    return performance.now() - began;
  });
  const took = median(times);
  return {
    value: bytes.length / 1000 / took,
    note: `${formatNumber(bytes.length / 1e6)} MB in ${formatNumber(took)} ms`,
  };
}

/** @type {import('../table.mjs').Suite} */
export default {
  name: `directory of ${PODCASTS.toLocaleString('en')} podcasts, ${USERS.toLocaleString('en')} users`,
  open,
  close,
  rows: [
    { name: 'toplist/100.json', unit: 'x', bound: ['>=', 0.5], measure: compareToplist },
    {
      name: 'search, p99',
      unit: 'ms',
      bound: ['<', 20],
      measure: (stage) =>
        measureLatency(stage, () => request('GET', `/search.json?q=${encodeURIComponent(word())}`, {})),
    },
    {
      name: 'search of two words or a misspelling, p99',
      unit: 'ms',
      bound: ['<', 20],
      measure: (stage) => {
        const text = () => (random() < 0.5 ? words(2) : word().replace(/.$/, 'q'));
        return measureLatency(stage, () => request('GET', `/search.json?q=${encodeURIComponent(text())}`, {}));
      },
    },
    {
      name: 'suggestions, p99',
      unit: 'ms',
      bound: ['<', 30],
      measure: async (stage) => {
        let turn = 0;
        // By cookie, as checking a password takes longer than everything else here, and has its own rows.
        const headers = await Promise.all(READERS.map((reader) => logIn(stage.podsync, reader)));
        return measureLatency(stage, () => request('GET', '/suggestions/10.json', headers[turn++ % headers.length]));
      },
    },
    {
      name: 'toplist rebuild',
      unit: 's',
      bound: ['<', 5],
      measure: async ({ spare }) => {
        const now = () => Math.floor(Date.now() / 1000);
        const storage = await openStorage('json', spare, { dataDir: spare, now, overlap: 120, log: console.error });
        const began = performance.now();
        const { podcasts } = await storage.podcasts.rebuildToplist();
        const value = (performance.now() - began) / 1000;
        await storage.close();
        return { value, note: `${formatNumber(podcasts)} podcasts` };
      },
    },
    {
      name: 'start',
      unit: 's',
      bound: ['<', 1.5],
      measure: async ({ startedIn, indexedIn }) => ({
        value: startedIn / 1000,
        note: `the first search after it takes ${formatNumber(indexedIn / 1000)} s`,
      }),
    },
    {
      name: 'resident memory at the end',
      unit: 'MB',
      measure: async ({ podsync }) => {
        const { rss, peak } = await podsync.memory();
        return { value: rss, note: `${formatNumber(peak)} MB at most` };
      },
    },
    { name: 'parsing of feeds', unit: 'MB/s', measure: async () => measureParsing() },
  ],
};
