import { type FileHandle, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import json from '../../../plugins/json/index.ts';
import {
  type Entry,
  type Key,
  type KeyValueStore,
  Mutex,
  StorageError,
  syncFolder,
  type Version,
} from '../../../src/plugin.ts';
import { makeFolder } from '../../folder.ts';
import { createRandom, seed } from '../../seed.ts';
import { copyFolder } from './copy-folder.ts';
import { SimulatedDisk } from './simulated-disk.ts';

// Small enough for a checkpoint every few commits, for splitting files, and for evicting entries.
vi.mock(import('../../../plugins/json/limits.ts'), () => ({
  MAX_LOG_SIZE: 3000,
  MAX_CHANGES: 1000,
  MAX_BACKLOG: 1000,
  MAX_FILE_SIZE: 1500,
  CACHE_SIZE: 4000,
}));

/** Runs each step of a checkpoint. */
const disk = vi.hoisted(() => ({ run: (_step: string, step: () => Promise<void>): Promise<void> => step() }));
vi.mock(import('../../../plugins/json/file-operations.ts'), async (original) => {
  const files = await original();
  const watch =
    <Args extends [string, ...unknown[]]>(step: string, run: (...args: Args) => Promise<void>) =>
    (...args: Args): Promise<void> =>
      disk.run(`${step} ${args[0]}`, () => run(...args));
  return {
    ...files,
    createFolder: watch('createFolder', files.createFolder),
    replaceFile: watch('replaceFile', files.replaceFile),
    syncFolder: watch('syncFolder', files.syncFolder),
    removeFile: watch('removeFile', files.removeFile),
  };
});

/** Called with each file and folder that is opened. */
const power = vi.hoisted(() => ({ watch: <T>(file: T, _path: string): T => file }));
vi.mock(import('node:fs/promises'), async (original) => {
  const files = await original();
  const watched = async (path: string, ...options: any[]) => power.watch(await files.open(path, ...options), path);
  return { ...files, open: watched as typeof files.open };
});

const random = createRandom(seed);
const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
const SEGMENTS = ['', 'a', 'A', 'a!', 'a-b', 'b', '10', '9', '.', '__proto__', '%', 'x'.repeat(61)];

function createKey(): Key {
  const family = pick(['u', 'l', 'e', 'n', 'zz', 'u!', '', 'U']);
  const depth = random(4);
  return [family, ...Array.from({ length: depth }, () => pick(SEGMENTS))].join('/') || 'empty';
}
const createValue = (): string =>
  JSON.stringify({ n: random(1000), text: pick(['', 'é', '\n', 'x']).repeat(random(150)) });

/** The expected content of a store. */
class Model {
  entries = new Map<Key, Entry>();

  list(from: Key, until: Key, limit: number): Entry[] {
    const found = [...this.entries.values()].filter(({ key }) => key >= from && key < until);
    return found.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit);
  }

  copy(): Model {
    const copy = new Model();
    copy.entries = new Map(this.entries);
    return copy;
  }
}

let dataDir: string;
let store: KeyValueStore;
let model: Model;
let versions: Set<Version>;
const warnings: string[] = [];
const open = (folder = dataDir): Promise<KeyValueStore> =>
  json.open(json.parse(''), { dataDir: folder, log: (_level, message) => void warnings.push(message) });

beforeEach(async () => {
  dataDir = await makeFolder();
  model = new Model();
  versions = new Set([0]);
  store = await open();
});
afterEach(async () => {
  vi.useRealTimers();
  disk.run = (_title, step) => step();
  power.watch = (file) => file;
  await store.close();
  expect(warnings).toEqual([]);
});

async function change(): Promise<void> {
  const known = [...model.entries.keys()];
  const changed = new Set(
    Array.from({ length: 1 + random(6) }, () => (random(3) > 0 ? createKey() : (pick(known) ?? 'a'))),
  );
  const isRemoval = random(4) === 0;
  const owner = isRemoval ? pick(known)?.split('/').slice(0, 2).join('/') : undefined;
  for (const key of known) if (owner !== undefined && key.startsWith(owner)) changed.add(key);
  const set: [Key, string][] = [];
  const deleted: Key[] = [];
  for (const key of changed) {
    if (isRemoval || random(5) === 0) deleted.push(key);
    else set.push([key, createValue()]);
  }
  const check = [...changed].map((key) => [key, model.entries.get(key)?.version ?? 0] as const);
  const version = (await store.commit({ check, set, delete: deleted }))!;
  expect(versions).not.toContain(version);
  versions.add(version);
  for (const [key, value] of set) model.entries.set(key, { key, value, version });
  for (const key of deleted) model.entries.delete(key);
}

/** Normalizes values for comparison: the same JSON may have different text. */
const normal = (entries: readonly (Entry | undefined)[]): unknown[] =>
  entries.map((entry) => entry && { ...entry, value: JSON.parse(entry.value) });

async function compare(actual: KeyValueStore, expected: Model): Promise<void> {
  expect(normal(await actual.list({ from: '', until: '~', limit: 10_000 }))).toEqual(
    normal(expected.list('', '~', 10_000)),
  );
}

async function compareSome(): Promise<void> {
  const [from, until] = [createKey(), createKey()];
  const limit = 1 + random(20);
  expect(normal(await store.list({ from, until, limit }))).toEqual(normal(model.list(from, until, limit)));
  const keys = Array.from({ length: 5 }, createKey);
  expect(normal(await store.get(keys))).toEqual(normal(keys.map((key) => model.entries.get(key))));
}

it('has all commits, in order, across splits, checkpoints, evictions and reopening', async () => {
  for (let round = 0; round < 12; round += 1) {
    for (let step = 0; step < 60; step += 1) {
      await change();
      await compareSome();
    }
    await compare(store, model);
    await store.close();
    store = await open();
    await store.verify();
    await compare(store, model);
  }
  await store.commit({ delete: [...model.entries.keys()] });
  await store.close();
  expect((await readdir(dataDir, { recursive: true })).filter((name) => name.endsWith('.json'))).toEqual([]);
  expect(await readdir(join(dataDir, 'users'))).toEqual([]);
  store = await open();
});

it('has all acknowledged commits while steps of checkpoints fail and are repeated, and after reopening', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  for (let round = 0; round < 15; round += 1) {
    disk.run = (title, step) =>
      random(6) === 0 ? Promise.reject(new StorageError('unavailable', `${title} failed`)) : step();
    for (let step = 0; step < 40; step += 1) {
      await change();
      await compareSome();
      vi.advanceTimersByTime(30_000);
    }
    disk.run = (_title, step) => step();
    await store.close();
    store = await open();
    await store.verify();
    await compare(store, model);
  }
  expect(warnings.splice(0)).not.toEqual([]);
});

it('has all acknowledged commits after a crash before any step of a checkpoint', { timeout: 600_000 }, async () => {
  for (let step = 0; step < 80; step += 1) await change();
  await store.close();
  store = await open();
  const killed: [step: string, folder: string, expected: Model][] = [];
  const mutex = new Mutex();
  disk.run = (title, step) =>
    mutex.run(async () => {
      if (random(3) === 0) {
        const folder = `${dataDir}-killed-${killed.length}`;
        await copyFolder(dataDir, folder);
        killed.push([title, folder, model.copy()]);
      }
      await step();
    });
  for (let step = 0; step < 100; step += 1) await mutex.run(change);
  await store.close();
  disk.run = (_title, step) => step();
  expect(killed.length).toBeGreaterThan(20);
  for (const [step, folder, expected] of killed) {
    for (const _time of [1, 2]) {
      const after = await open(folder);
      await compare(after, expected).catch((error: Error) => {
        throw new Error(`crash before ${step}: ${error.message}`, { cause: error });
      });
      await after.verify();
      await after.close();
    }
    await rm(folder, { recursive: true });
  }
  store = await open();
});

it('has all acknowledged commits after a power failure, also after a crash', { timeout: 600_000 }, async () => {
  await store.close();
  const simulated = new SimulatedDisk(random);
  power.watch = (file, path) => simulated.watch(file as FileHandle, path) as typeof file;
  await syncFolder(dataDir);
  store = await open();
  const mutex = new Mutex();
  const failures: [step: string, folder: string, expected: Model][] = [];
  const kills: typeof failures = [];
  disk.run = (title, step) =>
    mutex.run(async () => {
      const snapshots = random(2) === 0 ? failures : kills;
      const folder = `${dataDir}-${snapshots === kills ? 'killed' : 'failed'}-${snapshots.length}`;
      if (random(3) === 0) {
        await (snapshots === kills ? simulated.kill(dataDir, folder) : simulated.fail(dataDir, folder));
        snapshots.push([title, folder, model.copy()]);
      }
      await step();
    });
  for (let step = 0; step < 150; step += 1) await mutex.run(change);
  await store.close();
  disk.run = (_title, step) => mutex.run(step);

  for (const [step, folder, expected] of kills) {
    const after = await open(folder);
    const version = (await after.commit({ set: [['later', 'true']] }))!;
    expected.entries.set('later', { key: 'later', value: 'true', version });
    const next = `${folder}-failed`;
    await mutex.run(() => simulated.fail(folder, next));
    failures.push([`${step}, restart`, next, expected]);
    await after.close();
    await simulated.fail(folder, `${next}-again`);
    failures.push([`${step}, restart, end`, `${next}-again`, expected]);
    await rm(folder, { recursive: true });
  }
  expect(failures.length).toBeGreaterThan(20);
  for (const [step, folder, expected] of failures) {
    const check = async (): Promise<void> => {
      const after = await open(folder);
      await compare(after, expected);
      await after.verify();
      await after.close();
    };
    await check().catch((error: Error) => {
      throw new Error(`power failure before ${step}: ${error.message}`, { cause: error });
    });
    await rm(folder, { recursive: true });
  }
  store = await open();
});

it('replays no old log without the next one after a power failure while they are removed', async () => {
  await store.close();
  const simulated = new SimulatedDisk(random);
  power.watch = (file, path) => simulated.watch(file as FileHandle, path) as typeof file;
  await syncFolder(dataDir);
  store = await open();
  disk.run = (title, step) =>
    title.startsWith('replaceFile') ? Promise.reject(new StorageError('unavailable', `${title} failed`)) : step();
  await store.commit({ set: [['a', JSON.stringify('old'.repeat(1500))]] }); // long enough for a checkpoint
  await expect.poll(() => warnings.splice(0)).toHaveLength(1);
  await store.commit({ set: [['a', '"new"']] }); // in the next log
  const failures: string[] = [];
  disk.run = async (title, step) => {
    await step();
    if (!/^removeFile .*wal-/.test(title)) return;
    for (let copy = 0; copy < 16; copy += 1) {
      failures.push(`${dataDir}-failed-${failures.length}`);
      await simulated.fail(dataDir, failures.at(-1)!);
    }
  };
  await store.close();
  disk.run = (_title, step) => step();
  expect(failures).toHaveLength(32);
  for (const folder of failures) {
    const after = await open(folder);
    expect((await after.get(['a']))[0]?.value).toBe('"new"');
    await after.close();
    await rm(folder, { recursive: true });
  }
  store = await open();
});
