/*
 * Compares the storages of this build with those of another one:
 *   node test/bench/compare-storages.mjs OTHER [KIND...]
 * OTHER is a checkout in which `npm install` was run; KIND is json, sqlite or postgres. The builds are measured in turn,
 * in three rounds. Each figure is the median; the last column is the speed of this build relative to the other one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { median } from './rounds.mjs';
import { startPostgres } from './storages.mjs';

const ROUNDS = 3;
const USERS = 16;
const BATCH = 30;
/** Milliseconds of each row in each round. */
const LASTS = 2000;
const HISTORY = 100_000;

const [other, ...kinds] = process.argv.slice(2);
const BUILDS = { other: resolve(other), this: resolve(import.meta.dirname, '../..') };

const now = () => Math.floor(Date.now() / 1000);
const toAction = (n) => ({
  podcast: `https://feeds.example.org/show-${n % 40}/feed.xml`,
  episode: `https://media.example.org/show-${n % 40}/2024/${n}.mp3?source=feed`,
  guid: `8d2f6f1e-5b0a-4c58-9d0e-${String(n).padStart(12, '0')}`,
  device: 'phone',
  action: 'play',
  timestamp: 1_700_000_000 + n,
  play: { started: 15, position: 1835, total: 3600 },
});
const actions = (from, count) => Array.from({ length: count }, (_, index) => toAction(from + index));

/** Opens an empty storage with a build; before version 1 of the contract a plugin was the storage itself. */
async function openWith(build, kind, spec, dataDir) {
  const load = (path) => import(pathToFileURL(join(BUILDS[build], 'dist', path)).href);
  const context = { dataDir, now, overlap: 120, log: console.error };
  const { createStorage } = await load('src/storage/storage.js').catch(() => ({}));
  if (createStorage) return (await load('src/storage/open.js')).openStorage(spec, dataDir, context);
  const { default: plugin } = await load(`plugins/${kind}/index.js`);
  return plugin.open(plugin.parse(kind === 'postgres' ? spec : ''), context);
}

/** How often these users, concurrently, complete `step` in a second. */
async function rate(users, step) {
  const until = performance.now() + LASTS;
  const started = performance.now();
  let done = 0;
  const work = async (user) => {
    while (performance.now() < until) {
      await step(user);
      done += 1;
    }
  };
  await Promise.all(users.map(work));
  return (done * 1000) / (performance.now() - started);
}

async function drain({ pages }) {
  let count = 0;
  for await (const page of pages) count += page.length;
  return count;
}

async function measure(storage) {
  const users = [];
  for (let n = 0; n < USERS; n += 1) {
    const { id } = await storage.users.create({ name: `user-${n}`, passwordHash: 'invalid' });
    users.push({ id, next: 0 });
  }
  const append = async (user) => {
    await storage.actions.append(user.id, actions(user.next, BATCH));
    user.next += BATCH;
  };
  for (const user of users) for (let n = 0; n < 20; n += 1) await append(user); // warm
  const figures = { 'append of 30, 16 users (1/s)': await rate(users, append) };
  figures['append of 30, one user (1/s)'] = await rate(users.slice(0, 1), append);
  const marks = new Map();
  for (const { id } of users) marks.set(id, (await storage.actions.query(id, { since: 2 ** 31 })).mark);
  const readNothing = async ({ id }) => drain(await storage.actions.query(id, { since: marks.get(id) }));
  figures['empty since-read, 16 users (1/s)'] = await rate(users, readNothing);
  const { id } = await storage.users.create({ name: 'long', passwordHash: 'invalid' });
  for (let from = 0; from < HISTORY; from += 1000) await storage.actions.append(id, actions(from, 1000));
  const times = [];
  for (let n = 0; n < 3; n += 1) {
    const started = performance.now();
    if ((await drain(await storage.actions.query(id, {}))) !== HISTORY) throw new Error('actions are missing');
    times.push(performance.now() - started);
  }
  figures['query of 100,000 (1/s)'] = 1000 / median(times);
  return figures;
}

for (const kind of kinds.length > 0 ? kinds : ['json', 'sqlite', 'postgres']) {
  const found = { other: [], this: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const build of Object.keys(found)) {
      const dataDir = await mkdtemp(join(tmpdir(), 'podsync-compare-'));
      const server = kind === 'postgres' ? await startPostgres() : undefined;
      const storage = await openWith(build, kind, server?.url ?? kind, dataDir);
      found[build].push(await measure(storage));
      await storage.close();
      await server?.destroy();
      await rm(dataDir, { recursive: true });
    }
  }
  for (const row of Object.keys(found.this[0])) {
    const [before, after] = ['other', 'this'].map((build) => median(found[build].map((figures) => figures[row])));
    const columns = [before.toFixed(1), after.toFixed(1), (after / before).toFixed(2)].map((text) => text.padStart(12));
    console.log(`${kind.padEnd(9)}${row.padEnd(34)}${columns.join('')}`);
  }
}
process.exit(); // threads of the other build may still be idle
