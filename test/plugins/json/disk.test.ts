import { appendFile, type FileHandle, open as openFile, readdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import json from '../../../plugins/json/index.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';
import { makeFolder } from '../../folder.ts';
import { createRandom, seed } from '../../seed.ts';
import { copyFolder } from './copy-folder.ts';

/** Rejects as if no file could be replaced. */
const disk = vi.hoisted(() => ({ check: async (_path: string): Promise<void> => undefined }));
vi.mock(import('../../../plugins/json/file-operations.ts'), async (original) => {
  const files = await original();
  return {
    ...files,
    replaceFile: async (path, bytes) => {
      await disk.check(path);
      await files.replaceFile(path, bytes);
    },
  };
});

let dataDir: string;
let store: KeyValueStore;
let warnings: string[];

const open = (folder = dataDir): Promise<KeyValueStore> =>
  json.open(json.parse(''), { dataDir: folder, log: (_level, message) => void warnings.push(message) });

beforeEach(async () => {
  warnings = [];
  dataDir = await makeFolder();
  store = await open();
  await set('first');
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  disk.check = async () => undefined;
  await store.close();
});

/** Sets keys in two files. */
const set = (name: string) => store.commit({ set: [`u/bob/${name}`, `other-${name}`].map((key) => [key, '1']) });
/** The names whose keys exist, which must be in both files. */
async function names(from = store): Promise<string[]> {
  const list = async (prefix: string, until: string): Promise<string[]> =>
    (await from.list({ from: prefix, until, limit: 100 })).map(({ key }) => key.slice(prefix.length));
  const found = await list('u/bob/', 'u/bob0');
  expect(await list('other-', 'other.')).toEqual(found);
  return found;
}

/** The error that Node throws for a system error. */
const failure = (code: string, errno: number): Error => Object.assign(new Error(`${code}: write`), { code, errno });
const NO_ROOM = failure('ENOSPC', -28);
const BROKEN = failure('EIO', -5);

/** The prototype of all file handles. */
async function filePrototype(): Promise<FileHandle> {
  const file = await openFile(dataDir);
  await file.close();
  return Object.getPrototypeOf(file) as FileHandle;
}

/** Makes the next call of any file handle fail. */
async function failOnce(call: 'write' | 'datasync' | 'truncate', error: Error): Promise<void> {
  vi.spyOn(await filePrototype(), call).mockRejectedValueOnce(error);
}

/** A copy of a folder, as left by a process that is killed now. */
async function kill(folder = dataDir): Promise<string> {
  const killed = await makeFolder();
  await copyFolder(folder, killed);
  return killed;
}
const openKilled = async (): Promise<KeyValueStore> => open(await kill());

it.each([
  ['a full disk', NO_ROOM],
  ['a used-up quota', failure(`Unknown system error -${constants.errno.EDQUOT}`, -constants.errno.EDQUOT)],
])('%s is reported as such, and writes continue afterwards', async (_, error) => {
  await failOnce('write', error);
  await expect(set('a')).rejects.toMatchObject({ code: 'full', message: expect.stringContaining('free some space') });
  await store.ping();
  await set('b');
  expect(await names()).toEqual(['b', 'first']);
});

it('a full disk that takes a part of a commit loses that commit, and stores all later ones', async () => {
  const files = await filePrototype();
  const { write } = files;
  const writePart = function (this: FileHandle, bytes: Uint8Array) {
    return Reflect.apply(write, this, [bytes, 0, 20]);
  };
  const writing = vi.spyOn(files, 'write').mockImplementationOnce(writePart as FileHandle['write']);
  writing.mockRejectedValueOnce(NO_ROOM);
  await expect(set('a')).rejects.toMatchObject({ code: 'full' });
  await set('b');
  const after = await openKilled();
  expect(await names(after)).toEqual(['b', 'first']);
  await after.close();
});

it('commits are kept by a second kill, although an incomplete line of the first one is in a log that is still needed', async () => {
  const folder = await kill();
  const log = (await readdir(folder)).findLast((name) => name.startsWith('wal'))!;
  await appendFile(join(folder, log), '["0000');
  disk.check = () => Promise.reject(NO_ROOM);
  const first = await open(folder);
  await first.commit({ set: [['u/bob/a', '1'], ['other-a', '1']] }); // prettier-ignore
  const second = await open(await kill(folder));
  expect(await names(second)).toEqual(['a', 'first']);
  await Promise.all([first.close(), second.close()]);
});

it('a check while a line is being written finds no damage', async () => {
  const files = await filePrototype();
  const { write } = files;
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const written = new Promise<void>((resolve) => {
    vi.spyOn(files, 'write').mockImplementationOnce(async function (this: FileHandle, bytes: Uint8Array) {
      await Reflect.apply(write, this, [bytes, 0, 20]);
      resolve();
      await released;
      return { bytesWritten: 20, buffer: bytes };
    } as FileHandle['write']);
  });
  const commit = set('a');
  await written;
  await store.verify();
  release();
  await commit;
  expect(await names()).toEqual(['a', 'first']);
});

it('concurrent commits never share a line that would be too long to be read', async () => {
  const writing = vi.spyOn(await filePrototype(), 'write');
  const value = JSON.stringify('x'.repeat(1_500_000));
  await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.commit({ set: [[key, value]] })));
  const lengths = writing.mock.calls.map(([bytes]) => bytes.length);
  expect(Math.max(...lengths)).toBeLessThan(2 * value.length);
});

it('commits that wait behind one that a full disk refused are stored, and their checks do not see it', async () => {
  let refuse!: (error: Error) => void;
  const refused = new Promise<never>((_, reject) => (refuse = reject));
  const writing = vi.spyOn(await filePrototype(), 'write').mockReturnValueOnce(refused);
  const first = set('a');
  await expect.poll(() => writing.mock.calls.length).toBe(1);
  const others = [set('b'), store.commit({ check: [['u/bob/a', 0]], set: [['seen', '1']] })];
  refuse(NO_ROOM);
  await expect(first).rejects.toMatchObject({ code: 'full' });
  expect(await Promise.all(others)).toEqual([expect.any(Number), expect.any(Number)]);
  await set('d');
  expect(await names()).toEqual(['b', 'd', 'first']);
});

it('a check after a refused commit finds the version that is stored', async () => {
  const version = (await store.commit({ set: [['a', '1']] }))!;
  await failOnce('write', NO_ROOM);
  await expect(store.commit({ set: [['a', '2']] })).rejects.toMatchObject({ code: 'full' });
  expect(await store.commit({ check: [['a', version]], set: [['a', '3']] })).toBeGreaterThan(version);
});

it('a check sees a commit that waits for the disk behind another one of the same key', async () => {
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  const sync = vi.spyOn(await filePrototype(), 'datasync').mockReturnValueOnce(held);
  const first = store.commit({ set: [['a', '1']] });
  await expect.poll(() => sync.mock.calls.length).toBe(1);
  const second = store.commit({ set: [['a', '2']] });
  release();
  const version = (await first)!;
  expect(await store.commit({ check: [['a', version]], set: [['a', '3']] })).toBeUndefined();
  await second;
  expect((await store.get(['a']))[0]?.value).toBe('2');
});

it('counters of concurrent callers are exact while writes are refused at random, also after reopening', async () => {
  const random = createRandom(seed);
  const files = await filePrototype();
  const { write } = files;
  const writing = vi.spyOn(files, 'write').mockImplementation(function (this: FileHandle, ...args: unknown[]) {
    return random(6) === 0 ? Promise.reject(NO_ROOM) : Reflect.apply(write, this, args);
  });
  const counted = [0, 0, 0, 0];
  const keyOf = (counter: number): string => `u/bob/counter-${counter}`;
  const count = async (): Promise<void> => {
    const counters = [...new Set([random(4), random(4)])];
    const entries = await store.get(counters.map(keyOf));
    if (random(2) === 0) await setImmediate();
    const check = counters.map((counter, n) => [keyOf(counter), entries[n]?.version ?? 0] as const);
    const set = counters.map((counter, n) => [keyOf(counter), String(Number(entries[n]?.value ?? 0) + 1)] as const);
    const version = await store.commit({ check, set }).catch((error) => {
      expect(error.code).toBe('full');
      return undefined;
    });
    if (version === undefined) return;
    for (const counter of counters) counted[counter]! += 1;
    for (const entry of await store.get(counters.map(keyOf))) expect(entry?.version).toBeGreaterThanOrEqual(version);
  };
  const stored = async () => (await store.get([0, 1, 2, 3].map(keyOf))).map((entry) => Number(entry?.value));

  const call = async (): Promise<void> => {
    for (let n = 0; n < 100; n += 1) await count();
  };
  await Promise.all(Array.from({ length: 12 }, call));
  expect(Math.min(...counted)).toBeGreaterThan(0);
  expect(await stored()).toEqual(counted);
  writing.mockRestore();
  await store.close();
  store = await open();
  expect(await stored()).toEqual(counted);
});

it('a failed write that cannot be undone requires a restart of podsync', async () => {
  await failOnce('write', NO_ROOM);
  await failOnce('datasync', BROKEN);
  const refusal = { code: 'unavailable', message: expect.stringMatching(/no space.*then restart podsync/) };
  await expect(set('a')).rejects.toMatchObject(refusal);
  await expect(set('b')).rejects.toMatchObject(refusal);
});

it.each(['write', 'datasync'] as const)('a disk that fails at a %s is used again after a restart', async (call) => {
  await set('a');
  await failOnce(call, BROKEN);
  const refusal = { code: 'unavailable', message: expect.stringMatching(/EIO.*then restart podsync/) };
  await expect(set('b')).rejects.toMatchObject(refusal);
  await expect(set('c')).rejects.toMatchObject(refusal);
  await expect(store.ping()).rejects.toMatchObject(refusal);
  expect(await names()).toEqual(['a', 'first']);
  await store.close();
  store = await open();
  expect(await names()).toEqual(['a', 'first']);
  await set('d');
});

it('a commit that a failing disk may have stored is complete after a restart', async () => {
  await failOnce('datasync', BROKEN);
  await failOnce('truncate', BROKEN);
  await expect(set('a')).rejects.toMatchObject({ code: 'unavailable' });
  const after = await openKilled();
  expect(await names(after)).toEqual(['a', 'first']);
  await after.close();
});

it('files that cannot be written are reported and written later, and nothing is lost', async () => {
  disk.check = (path) => (path.includes('users') ? Promise.reject(NO_ROOM) : Promise.resolve());
  await store.commit({ set: [['n/bob', '{}']] });
  await store.close();
  expect(warnings).toEqual([expect.stringMatching(/stay in the write-ahead log .*no space left/)]);
  const files = async () => (await readdir(dataDir, { recursive: true })).filter((name) => name.endsWith('.json'));
  expect(await files()).toEqual(expect.arrayContaining(['logins.json', 'other.json'])); // the others were written

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  store = await open();
  expect(await names()).toEqual(['first']);
  await vi.waitUntil(() => warnings.length === 2, 40_000);
  disk.check = async () => undefined;
  await vi.waitUntil(async () => {
    vi.runAllTimers();
    return (await files()).includes(join('users', 'bob', 'account.json'));
  }, 40_000);
  await store.close();
  expect((await readdir(dataDir)).filter((name) => name.startsWith('wal'))).toHaveLength(1);
  store = await open();
  expect(await names()).toEqual(['first']);
});
