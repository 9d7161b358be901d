import { Redis } from 'ioredis';
import { definePlugin, StorageError } from 'podsync/plugin';

/**
 * A storage plugin for Redis: `--storage ./redis-storage.js:redis://user:password@host:6379/0?prefix=podsync`.
 *
 * Any number of podsync processes may share one Redis. Redis must write every change to its append-only file before it
 * responds, and must not evict keys when its memory is full: otherwise it loses acknowledged changes, so the plugin refuses
 * to start.
 *
 * Three keys of Redis, in one hash slot:
 *   {podsync}:entries   hash: key -> version, a space, value
 *   {podsync}:keys      sorted set of all keys with the same score, which Redis sorts by their bytes
 *   {podsync}:version   counter of commits, which is the version of the entries that a commit sets
 * Each operation is one script, which Redis runs atomically.
 */

/** @import { Batch, Entry, KeyValueStore, OpenContext } from 'podsync/plugin' */

const GET = `
  local found = {}
  for i, key in ipairs(ARGV) do found[i] = redis.call('HGET', KEYS[1], key) end
  return found`;

const LIST = `
  local found = {}
  local keys = redis.call('ZRANGE', KEYS[2], '[' .. ARGV[1], '(' .. ARGV[2], 'BYLEX', 'LIMIT', 0, ARGV[3])
  for _, key in ipairs(keys) do
    found[#found + 1] = key
    found[#found + 1] = redis.call('HGET', KEYS[1], key)
  end
  return found`;

/** Arguments: the numbers of checks and sets; then these, followed by the keys to delete. */
const COMMIT = `
  local entries, order, counter = KEYS[1], KEYS[2], KEYS[3]
  local at = 3
  local function take()
    at = at + 1
    return ARGV[at - 1]
  end
  for _ = 1, tonumber(ARGV[1]) do
    local entry = redis.call('HGET', entries, take())
    if (entry and string.match(entry, '^%d+') or '0') ~= take() then return false end
  end
  local version = redis.call('INCR', counter)
  for _ = 1, tonumber(ARGV[2]) do
    local key = take()
    redis.call('HSET', entries, key, version .. ' ' .. take())
    redis.call('ZADD', order, 0, key)
  end
  while at <= #ARGV do
    local key = take()
    redis.call('HDEL', entries, key)
    redis.call('ZREM', order, key)
  end
  return version`;

export default definePlugin({
  name: 'redis',
  contract: 1,
  parse(location) {
    const url = URL.canParse(location) ? new URL(location) : undefined;
    if (url?.protocol !== 'redis:' && url?.protocol !== 'rediss:') {
      throw new Error('it needs the address of a Redis server, such as redis://localhost:6379/0?prefix=podsync');
    }
    const prefix = url.searchParams.get('prefix') ?? 'podsync';
    url.search = '';
    return { url: url.href, host: url.host, prefix };
  },
  open,
});

/**
 * @param {{ url: string, host: string, prefix: string }} options
 * @param {OpenContext} context
 * @returns {Promise<KeyValueStore>}
 */
async function open({ url, host, prefix }, { log }) {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableAutoPipelining: true,
    // A commit whose answer was lost must not be sent again by itself: podsync finds out whether it was stored.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  });
  redis.on('error', () => undefined); // each operation rejects with it

  const names = ['entries', 'keys', 'version'].map((name) => `{${prefix}}:${name}`);
  for (const [name, lua] of Object.entries({ podsyncGet: GET, podsyncList: LIST, podsyncCommit: COMMIT })) {
    redis.defineCommand(name, { lua, numberOfKeys: names.length });
  }

  /**
   * Runs an operation; what it rejects with becomes a StorageError.
   *
   * @template T
   * @param {() => Promise<T>} operation
   * @returns {Promise<T>}
   */
  const run = async (operation) => {
    try {
      return await operation();
    } catch (error) {
      throw toStorageError(error, host);
    }
  };

  try {
    await redis.connect();
    await requireDurability(redis, host);
  } catch (error) {
    redis.disconnect();
    throw toStorageError(error, host);
  }

  redis.on('reconnecting', () => log('warn', `the connection to Redis at ${host} was lost; trying again`));

  return {
    isShared: true,

    async get(keys) {
      if (keys.length === 0) return [];
      const found = await run(() => redis.podsyncGet([...names, ...keys]));
      return found.map((stored, at) => (stored === null ? undefined : toEntry(keys[at], stored)));
    },

    async list({ from, until, limit }) {
      if (from >= until) return [];
      const found = await run(() => redis.podsyncList([...names, from, until, limit]));
      return Array.from({ length: found.length / 2 }, (_, at) => toEntry(found[2 * at], found[2 * at + 1]));
    },

    /** @param {Batch} batch */
    async commit({ check = [], set = [], delete: deleted = [] }) {
      const args = [check.length, set.length, ...check.flat(), ...set.flat(), ...deleted];
      const version = await run(() => redis.podsyncCommit([...names, ...args]));
      return version ?? undefined;
    },

    async ping() {
      await run(() => redis.podsyncCommit([...names, 0, 0])); // PING would succeed on a replica, which stores nothing
    },

    async verify() {
      const [entries, keys] = await run(() => Promise.all([redis.hlen(names[0]), redis.zcard(names[1])]));
      if (entries === keys) return;
      throw new StorageError(
        'corrupt',
        `Redis at ${host} has ${entries} entries under ${keys} keys; restore its files`,
      );
    },

    async close() {
      await redis.quit().catch(() => redis.disconnect());
    },
  };
}

/**
 * @param {string} key
 * @param {string} stored
 * @returns {Entry}
 */
function toEntry(key, stored) {
  const blank = stored.indexOf(' ');
  return { key, version: Number(stored.slice(0, blank)), value: stored.slice(blank + 1) };
}

/**
 * @param {Redis} redis
 * @param {string} host
 */
async function requireDurability(redis, host) {
  const [, isOn] = await redis.config('GET', 'appendonly');
  const [, when] = await redis.config('GET', 'appendfsync');
  if (isOn !== 'yes' || when !== 'always') {
    throw new StorageError('unavailable', `Redis at ${host} must run with "appendonly yes" and "appendfsync always"`);
  }
  const [, policy] = await redis.config('GET', 'maxmemory-policy');
  if (policy.startsWith('allkeys-')) {
    throw new StorageError(
      'unavailable',
      `Redis at ${host} must run with "maxmemory-policy noeviction", not ${policy}`,
    );
  }
}

/**
 * @param {any} error
 * @param {string} host
 */
function toStorageError(error, host) {
  if (error instanceof StorageError) return error;
  const reason = String(error?.message ?? error);
  if (reason.startsWith('OOM') || reason.startsWith('MISCONF')) {
    return new StorageError('full', `Redis at ${host} takes no more data: ${reason}`);
  }
  return new StorageError(
    'unavailable',
    `Redis at ${host} failed: ${reason}; check that it runs, is not a replica, and accepts the user and password`,
  );
}
