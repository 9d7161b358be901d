import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { loadStorage } from '../../../dist/src/storage/load.js';
import { openStorage } from '../../../dist/src/storage/open.js';
import { upload } from '../client.mjs';
import { load, request } from '../load.mjs';
import { cpuOf } from '../processes.mjs';
import { createData, startPodsync } from '../server.mjs';
import { startPostgres } from '../storages.mjs';
import { formatNumber } from '../table.mjs';

/*
 * The work of a server in the background after a start: it recounts the subscribers of all podcasts. The account that it
 * reads last subscribes to a podcast that is counted wrong, so that the end of the work shows.
 */

const SUBSCRIPTIONS = 30;
const PODCASTS = 20_000;
const WRONG = 'https://feeds.example.org/counted-wrong/feed.xml';
const LAST = 'zoe';
/** Uploads while the server works in the background. */
const UPLOADER = 'user-0';
const TOKEN = 'of-the-uploader';
const COOKIE = { cookie: `sessionid=${TOKEN}` };
const SCENARIOS = [
  { kind: 'json', users: 1000 },
  { kind: 'sqlite', users: 1000 },
  { kind: 'postgres', users: 1000 },
  { kind: 'json', users: 10_000 },
  { kind: 'sqlite', users: 10_000 },
];

const now = () => Math.floor(Date.now() / 1000);
const feedsOf = (user) =>
  Array.from({ length: SUBSCRIPTIONS }, (_, n) => {
    const random = hash('sha256', `${user} ${n}`, 'buffer').readUInt32LE() / 2 ** 32;
    return `https://feeds.example.org/show-${Math.floor(PODCASTS * random ** 2)}/feed.xml`; // a few have most subscribers
  });

async function fill(location, users, dataDir) {
  const storage = await openStorage(location, dataDir, { dataDir, now, overlap: 120, log: console.error });
  const names = Array.from({ length: users - 1 }, (_, n) => `user-${n}`);
  const add = async (name, feeds) => {
    const { id } = await storage.users.create({ name, passwordHash: 'of nobody' });
    await storage.subscriptions.replace(id, 'phone', feeds);
    return id;
  };
  while (names.length > 0) await Promise.all(names.splice(0, 100).map((name) => add(name, feedsOf(name))));
  const last = await add(LAST, [WRONG]);
  const { id: user } = await storage.users.find(UPLOADER);
  await storage.sessions.save({ digest: hash('sha256', TOKEN, 'base64url'), user, expiresAt: now() + 86_400 });
  await storage.close();

  const { plugin, options } = await loadStorage(location, dataDir);
  const store = await plugin.open(options, { dataDir, log: console.error });
  await store.commit({ delete: [`f/${hash('sha256', WRONG, 'base64url').slice(0, 22)}/${last}`] });
  await store.close();
}

async function measure({ kind, users }) {
  const folder = await createData([]);
  const postgres = kind === 'postgres' ? await startPostgres() : undefined;
  const location = postgres?.url ?? kind;
  await fill(location, users, folder);
  const began = performance.now();
  const server = await startPodsync(folder, ['--storage', location]);
  const ready = performance.now();
  const cpu = cpuOf(server.pid);
  const before = await server.memory();
  let isOver = false;
  const untilCounted = async () => {
    const path = `/api/2/data/podcast.json?url=${encodeURIComponent(WRONG)}`;
    while ((await fetch(server.url + path)).status !== 200) await setTimeout(20);
    isOver = true;
    return performance.now() - ready;
  };
  const until = () => isOver;
  const [recount, health, uploads] = await Promise.all([
    untilCounted(),
    load({ url: server.url, next: () => request('GET', '/health'), until, connections: 1 }),
    load({ url: server.url, next: () => upload(UPLOADER, COOKIE), until, connections: 1 }),
  ]);
  const memory = await server.memory();
  await server.stop();
  await postgres?.destroy();
  return { start: ready - began, cpu, recount, health, uploads, before, memory };
}

const rowsOf = (scenario) => {
  const { kind, users } = scenario;
  const accounts = `${users.toLocaleString('en')} accounts, ${kind}`;
  const row = (name, unit, bound, read) => ({
    name: `${name}, ${accounts}`,
    unit,
    bound,
    measure: async (results) => read(await (results[accounts] ??= measure(scenario))),
  });
  const latency = ({ p50, p99, max, count }) => ({
    value: p99,
    note: `p50 ${formatNumber(p50)} ms, at most ${formatNumber(max)} ms, of ${formatNumber(count)}`,
  });
  const start = row('start', 's', users === 1000 ? ['<', 1] : undefined, (result) => ({
    value: result.start / 1000,
    note: `${formatNumber(result.cpu)} s of processor time, ${formatNumber(result.before.rss)} MB resident`,
  }));
  if (users === 1000) return [start]; // the recount is over before there are enough requests to compare
  return [
    start,
    row('recount after it', 's', undefined, ({ recount }) => ({ value: recount / 1000 })),
    row('p99 of /health meanwhile', 'ms', ['<=', 50], ({ health }) => latency(health)),
    row('p99 of a POST of 30 actions meanwhile', 'ms', ['<=', 50], ({ uploads }) => latency(uploads)),
    row('resident memory after it', 'MB', undefined, ({ memory, uploads }) => ({
      value: memory.rss,
      note: `with ${formatNumber(uploads.count * 30)} uploaded actions`,
    })),
  ];
};

/** @type {import('../table.mjs').Suite} */
export default {
  name: 'recount of subscribers',
  open: async () => ({}),
  close: async () => undefined,
  rows: SCENARIOS.flatMap(rowsOf),
};
