import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Batch, Entry, KeyValueStore, OpenContext, Version } from '../../src/plugin.ts';
import { loadStorage } from '../../src/storage/load.ts';
import { storageConformance } from '../../src/testing/index.ts';

const example = join(import.meta.dirname, '../../examples/memory-storage');

type Open = (context: OpenContext) => Promise<KeyValueStore>;

/** Opens an empty store in memory, and replaces some of its methods. */
const faulty =
  (replace: (store: KeyValueStore) => Partial<KeyValueStore>): Open =>
  async (context) => {
    const { plugin, options } = await loadStorage(`./memory-storage.js:${randomUUID()}`, example);
    const store = await plugin.open(options, context);
    return { ...store, ...replace(store) };
  };

/** A store whose reads return changed entries. */
const changed = (change: (entry: Entry) => object): Open =>
  faulty((store) => ({
    get: async (keys) => (await store.get(keys)).map((entry) => entry && (change(entry) as Entry)),
    list: async (range) => (await store.list(range)).map((entry) => change(entry) as Entry),
  }));

/** A store that keeps another key instead of the one given. */
const renamed = (rename: (key: string) => string): Open =>
  faulty((store) => ({
    get: (keys) => store.get(keys.map(rename)),
    commit: ({ check = [], set = [], delete: deleted = [] }) =>
      store.commit({
        check: check.map(([key, version]) => [rename(key), version]),
        set: set.map(([key, value]) => [rename(key), value]),
        delete: deleted.map(rename),
      }),
  }));

/** A store that writes its file only when it is closed. */
const writesLate: Open = async (context) => {
  const file = join(context.dataDir, 'entries.json');
  const store = await faulty(() => ({}))(context);
  if (existsSync(file)) await store.commit({ set: JSON.parse(readFileSync(file, 'utf8')) });
  const close = async (): Promise<void> => {
    const entries = await store.list({ from: ' ', until: '~', limit: 1_000_000 });
    if (entries.length > 0) writeFileSync(file, JSON.stringify(entries.map(({ key, value }) => [key, value])));
  };
  return { ...store, close };
};

/** A store that resolves while its file is being written. */
const writesWithoutWaiting: Open = async (context) => {
  const store = await writesLate(context);
  const commit: KeyValueStore['commit'] = async (batch) => {
    const version = await store.commit(batch);
    setImmediate(() => void store.close());
    return version;
  };
  return { ...store, commit };
};

/** A store that commits the batches of one turn together: none of them if the check of one fails. */
const failsTogether: Open = (context) => {
  const checks: NonNullable<Batch['check']>[] = [];
  let checking: Promise<(Version | undefined)[]> | undefined;
  return faulty((store) => ({
    async commit(batch) {
      checks.push(batch.check ?? []);
      checking ??= new Promise(setImmediate).then(() => {
        checking = undefined;
        return Promise.all(checks.splice(0).map((check) => store.commit({ check })));
      });
      return (await checking).includes(undefined) ? undefined : store.commit(batch);
    },
  }))(context);
};

const withoutNulls = (value: string): string =>
  JSON.stringify(JSON.parse(value), (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).filter(([, member]) => member !== null))
      : part,
  );

/** Runs a test of the suite, and returns the message with which it fails. */
async function failureOf(title: string, open: Open): Promise<string> {
  const hooks: (() => Promise<void>)[] = [];
  const found: (() => Promise<void>)[] = [];
  storageConformance('faulty', async () => ({ open, destroy: async () => undefined }), {
    describe: (_, body) => body(),
    it: (name, body) => name === title && found.push(body),
    beforeEach: (hook) => hooks.push(hook),
    afterEach: (hook) => hooks.push(hook),
  });
  const [[before, after], [body]] = [hooks, found];
  await before!();
  const failure = await body!().catch((error: Error) => error);
  await after!();
  return failure?.message ?? 'passed';
}

const ENTRY = 'an entry has its key, its value and the version of its commit';
const ORDER = 'entries are returned in the order of the keys, even if a key is missing or occurs twice';
const KEYS = 'a key may contain any printable ASCII, up to the maximum length';

it.each<[string, string, Open, RegExp]>([
  [
    'a Buffer as value',
    ENTRY,
    changed((entry) => ({ ...entry, value: Buffer.from(entry.value) })),
    /^the value of a is/,
  ],
  ['an object as value', ENTRY, changed((entry) => ({ ...entry, value: {} })), /must be JSON text, which is a string/],
  [
    'a version as text',
    ENTRY,
    changed((entry) => ({ ...entry, version: '7' })),
    /^the version of a is '7'; it must be/,
  ],
  [
    'a bigint as version',
    ENTRY,
    faulty((store) => ({ commit: async (batch) => BigInt((await store.commit(batch))!) as never })),
    /^commit resolved with \d+n; it must be a whole number/,
  ],
  [
    'no version',
    ENTRY,
    faulty((store) => ({ commit: async (batch) => void (await store.commit(batch)) as never })),
    /^commit resolved with undefined, as after a failed check/,
  ],
  [
    'null for a missing key',
    ORDER,
    faulty((store) => ({ get: async (keys) => (await store.get(keys)).map((entry) => entry ?? (null as never)) })),
    /^an entry is null; get must resolve with undefined/,
  ],
  [
    'nothing for a missing key',
    ORDER,
    faulty((store) => ({ get: async (keys) => (await store.get(keys)).filter((entry) => entry !== undefined) })),
    /^get resolved with 4 entries for 5 keys/,
  ],
  [
    'a version that was used before',
    'a version is never used twice for a key, even if it is deleted and set again',
    faulty((store) => ({ commit: async (batch) => (await store.commit(batch)) && 7 })),
    /^version 7 was used before/,
  ],
  [
    'a path without its last slash',
    KEYS,
    renamed((key) => key.replace(/(.)\/$/, '$1')),
    /^the entry of 'k\/' has the key 'k'/,
  ],
  [
    'a key without its last space',
    KEYS,
    renamed((key) => key.replace(/(.) $/, '$1')),
    /^the entry of 'k ' has the key 'k'/,
  ],
  [
    'an object without members that are null',
    'any JSON is returned unchanged',
    changed((entry) => ({ ...entry, value: withoutNulls(entry.value) })),
    /n: null/,
  ],
  [
    'a store that does not say whether it is shared',
    'an empty store has no entries',
    faulty(() => ({ isShared: undefined as never })),
    /^isShared must be/,
  ],
  [
    'a commit that is written later',
    'a commit that has resolved survives a crash',
    writesLate,
    /a crash at this moment would lose them/,
  ],
  [
    'a commit that does not wait for its file',
    'a commit that has resolved survives a crash',
    writesWithoutWaiting,
    /a crash at this moment would lose them/,
  ],
  [
    'deletes that follow in a second transaction',
    'a read sees all of a commit or nothing',
    faulty((store) => ({
      async commit({ delete: deleted = [], ...batch }) {
        const version = await store.commit(batch);
        await new Promise(setImmediate);
        if (version !== undefined) await store.commit({ delete: deleted });
        return version;
      },
    })),
    /^(?:get|list) returned 32 entries of \d commits, each of which leaves 31/,
  ],
  [
    'pages of a range that show different moments',
    'a commit of many keys is seen whole, and others succeed meanwhile',
    faulty((store) => ({
      async list(range) {
        const first = await store.list({ ...range, limit: Math.min(range.limit, 1000) });
        if (first.length < 1000) return first;
        await new Promise(setImmediate);
        return [...first, ...(await store.list({ ...range, from: `${first.at(-1)!.key} ` }))];
      },
    })),
    /^list returned \d+ entries of 2 commits, each of which leaves 5000; a read must show one moment/,
  ],
  [
    'a check that fails for commits beside it',
    'commits without common keys all succeed',
    failsTogether,
    /^commit resolved with undefined, as after a failed check/,
  ],
  [
    'a date in another form',
    'any JSON is returned unchanged',
    changed((entry) => ({ ...entry, value: entry.value.replace(/T10:00:00"/, 'T10:00:00.000Z"') })),
    /2026-11-25T10:00:00/,
  ],
  [
    'text that is not JSON',
    'any JSON is returned unchanged',
    changed((entry) => ({ ...entry, value: entry.value.replaceAll('\\', '') })),
    /^the value of v\/\d+ is no longer JSON/,
  ],
  [
    'a check that is a step of its own',
    'of several commits that check the same version, one succeeds',
    faulty((store) => ({
      async commit({ check = [], ...changes }) {
        if ((await store.commit({ check })) === undefined) return undefined;
        await new Promise(setImmediate);
        return store.commit(changes);
      },
    })),
    /^60 commits that check the same version succeeded/,
  ],
  [
    'a limit of its own for a range',
    'a range is cut at its limit, and can be continued from there',
    faulty((store) => ({ list: (range) => store.list({ ...range, limit: Math.min(range.limit, 1000) }) })),
    /^list returned 1000 entries; fewer than the limit, 1050,/,
  ],
  [
    'no version for a batch without changes',
    'a batch resolves with a version even if it sets nothing',
    faulty((store) => ({
      commit: async (batch) => (batch.set || batch.delete ? store.commit(batch) : undefined),
    })),
    /^commit resolved with undefined, as after a failed check/,
  ],
  [
    'checks that are ignored',
    'a failed check changes nothing',
    faulty((store) => ({ commit: (batch) => store.commit({ ...batch, check: [] }) })),
    /^commit did not resolve with undefined, though a check fails/,
  ],
])('the tests for plugins find %s', async (_, title, open, message) => {
  expect(await failureOf(title, open)).toMatch(message);
});
