import { definePlugin } from 'podsync/plugin';

/**
 * A storage plugin to start from: it keeps everything in memory while the process runs.
 *
 * A database can be reopened by its name: `--storage ./memory-storage.js:NAME`.
 */
const databases = new Map();

export default definePlugin({
  name: 'memory',
  contract: 1,
  parse: (location) => ({ name: location }),
  async open({ name }) {
    if (!databases.has(name)) databases.set(name, { entries: new Map(), version: 0 });
    return createStore(databases.get(name));
  },
});

function createStore(database) {
  const { entries } = database;

  const commit = ({ check = [], set = [], delete: deleted = [] }) => {
    if (check.some(([key, version]) => (entries.get(key)?.version ?? 0) !== version)) return undefined;
    const version = (database.version += 1);
    for (const [key, value] of set) entries.set(key, { key, value, version });
    for (const key of deleted) entries.delete(key);
    return version;
  };

  const list = ({ from, until, limit }) => {
    const keys = [...entries.keys()].filter((key) => key >= from && key < until);
    return keys
      .toSorted((a, b) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map((key) => entries.get(key));
  };

  return {
    isShared: false,
    get: async (keys) => keys.map((key) => entries.get(key)),
    list: async (range) => list(range),
    commit: async (batch) => commit(batch), // synchronous, and so atomic
    ping: async () => undefined,
    verify: async () => undefined,
    close: async () => undefined,
  };
}
