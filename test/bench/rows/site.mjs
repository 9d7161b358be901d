import { brotliCompressSync, constants } from 'node:zlib';
import { openStorage } from '../../../dist/src/storage/open.js';
import { logIn } from '../client.mjs';
import { load, request, requests, seconds } from '../load.mjs';
import { createData, startPodsync } from '../server.mjs';
import { formatNumber } from '../table.mjs';

const PODCASTS = 20_000;
/** Podcasts that one account may add to the directory per day. */
const BROUGHT = 2000;
const SUBSCRIBED = 300;
const EPISODES = 100;
const ACTIONS = 100_000;
const DAY = 86_400;
/** Actions in one upload of a first sync. */
const BATCH = 1000;
const READERS = 16;

const feed = (n) => `https://feeds-${n % 997}.example.org/show-${n}/feed.xml`;
const media = (n, number) => `https://media.example.org/show-${n}/2025/episode-${number}.mp3?source=feed`;

const PAGES = {
  Home: '/',
  Subscriptions: '/subscriptions',
  Podcast: `/podcast?url=${encodeURIComponent(feed(1))}`,
  Episode: `/episode?podcast=${encodeURIComponent(feed(1))}&url=${encodeURIComponent(media(1, 20))}`,
  History: '/history',
  Statistics: '/statistics?range=all',
};

/** The accounts and their histories; `twin` is a copy, whose first read is measured. */
const USERS = ['listener', 'twin'];

async function open() {
  const folder = await createData(USERS);
  const now = Math.floor(Date.now() / 1000);
  const context = { dataDir: folder, now: () => now, overlap: 120, log: console.error };
  const storage = await openStorage('json', folder, context);
  const all = Array.from({ length: PODCASTS }, (_, n) => feed(n));
  for (let at = 0; at < PODCASTS; at += BROUGHT) {
    const { id } = await storage.users.create({ name: `other-${at}`, passwordHash: 'of nobody' });
    await storage.subscriptions.replace(id, 'phone', all.slice(at, at + BROUGHT));
  }
  await Promise.all(all.map((url, n) => storage.podcasts.record(url, toReading(url, n, now))));
  for (const name of USERS) {
    const { id } = await storage.users.find(name);
    await storage.subscriptions.replace(id, 'phone', all.slice(0, SUBSCRIBED));
    for (let at = 0; at < ACTIONS; at += BATCH) {
      await storage.actions.append(
        id,
        Array.from({ length: BATCH }, (_, n) => toAction(at + n, now)),
      );
    }
  }
  await storage.close();
  const podsync = await startPodsync(folder);
  const [headers, twin] = await Promise.all(USERS.map((user) => logIn(podsync, user)));
  return { podsync, headers, twin, measured: new Map() };
}

function toReading(url, n, now) {
  const podcast = {
    title: `Show number ${n}, about this and that`,
    author: 'Somebody',
    description: 'Every week about this and that. '.repeat(14),
    website: `${url}/about`,
    logoUrl: `${url}/logo.png`,
    language: 'en',
    tags: ['News'],
  };
  const episodes = Array.from({ length: n < SUBSCRIBED ? EPISODES : 0 }, (_, number) => ({
    url: media(n, number),
    guid: `${n}-${number}`,
    title: `Episode ${number}: what there is to say of this and that`,
    description: 'Every week about this and that. '.repeat(20),
    website: '',
    releasedAt: now - number * 7 * DAY - n * 600,
  }));
  const state = { url, intervalSeconds: 3600, failures: 0, nextAt: 4_000_000_000, fetchedAt: now };
  return { state, content: { podcast, episodes } };
}

/** Ten years of listening. */
function toAction(n, now) {
  const show = (n * 7) % SUBSCRIBED;
  return {
    podcast: feed(show),
    episode: media(show, Math.floor(n / SUBSCRIBED) % 400),
    device: n % 5 === 0 ? 'laptop' : 'phone',
    action: n % 4 === 0 ? 'download' : 'play',
    timestamp: now - (ACTIONS - n) * 3153,
    ...(n % 4 !== 0 && { play: { started: 15, position: 1835, total: 3600 } }),
  };
}

const read = (headers, path) => request('GET', path, { ...headers, accept: 'text/html', 'accept-encoding': 'br' });

/** Times of a page that one visitor requests repeatedly. */
async function measurePage({ podsync, headers, measured }, path) {
  if (!measured.has(path)) {
    const next = () => read(headers, path);
    await load({ url: podsync.url, next, until: requests(30), connections: 1 }); // to warm up
    measured.set(path, await load({ url: podsync.url, next, until: requests(300), connections: 1 }));
  }
  return measured.get(path);
}

/** Times of the request `text`, repeated while `run` is running. */
async function watch({ podsync }, text, run) {
  let isOver = false;
  const [result, watched] = await Promise.all([
    run().finally(() => (isOver = true)),
    load({ url: podsync.url, next: () => text, until: () => isOver, connections: 1 }),
  ]);
  return { result, watched };
}

/** Compressed size of responses, in kilobytes. */
async function measureSize({ podsync, headers }, paths) {
  let [sent, original] = [0, 0];
  for (const path of paths) {
    const answer = await fetch(podsync.url + path, { headers: { ...headers, 'accept-encoding': 'identity' } });
    if (answer.status !== 200) throw new Error(`${path} was answered by ${answer.status}`);
    const text = Buffer.from(await answer.arrayBuffer());
    original += text.length / 1000;
    sent += brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length / 1000;
  }
  return { value: sent, note: `${formatNumber(original)} kB uncompressed` };
}

/** The style sheet and the script of a page. */
async function findAssets({ podsync }) {
  const html = await (await fetch(podsync.url)).text();
  return [...html.matchAll(/"[^"]*(\/assets\/[^"]+\.(?:css|js))"/g)].map(([, path]) => path);
}

const pageRows = Object.entries(PAGES).flatMap(([name, path]) => [
  {
    name: `${name}, median`,
    unit: 'ms',
    bound: ['<=', 50],
    measure: async (stage) => {
      const { p50, rate } = await measurePage(stage, path);
      return { value: p50, note: `${formatNumber(rate)}/s, one at a time` };
    },
  },
  {
    name: `${name}, p99`,
    unit: 'ms',
    bound: ['<=', 150],
    measure: async (stage) => ({ value: (await measurePage(stage, path)).p99, note: '' }),
  },
  {
    name: `${name}, compressed`,
    unit: 'kB',
    bound: ['<', 60],
    measure: (stage) => measureSize(stage, [path]),
  },
]);

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'site with 300 subscriptions and 100,000 actions',
  open,
  close: ({ podsync }) => podsync.stop(),
  rows: [
    {
      name: 'longest /health during the first read of a history',
      unit: 'ms',
      bound: ['<=', 50],
      measure: async (stage) => {
        const next = () => read(stage.twin, PAGES.Statistics);
        const { result, watched } = await watch(stage, request('GET', '/health'), () =>
          load({ url: stage.podsync.url, next, until: requests(1), connections: 1 }),
        );
        return { value: watched.max, note: `the page takes ${formatNumber(result.p50)} ms that time` };
      },
    },
    ...pageRows,
    {
      name: 'style and script, compressed',
      unit: 'kB',
      bound: ['<', 40],
      measure: async (stage) => measureSize(stage, await findAssets(stage)),
    },
    {
      name: `p99 of a sync beside ${READERS} readers of Statistics`,
      unit: 'ms',
      bound: ['<', 50],
      measure: async (stage) => {
        const sync = request('GET', `/api/2/episodes/listener.json?since=${4e9}`, stage.headers);
        const { result, watched } = await watch(stage, sync, () =>
          load({
            url: stage.podsync.url,
            next: () => read(stage.headers, PAGES.Statistics),
            until: seconds(5),
            connections: READERS,
          }),
        );
        return { value: watched.p99, note: `${formatNumber(result.rate)} pages/s` };
      },
    },
    {
      name: 'resident memory at the end',
      unit: 'MB',
      measure: async ({ podsync }) => {
        const { rss, peak } = await podsync.memory();
        return { value: rss, note: `${formatNumber(peak)} MB at most` };
      },
    },
  ],
};
