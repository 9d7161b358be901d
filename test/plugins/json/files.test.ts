import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import json from '../../../plugins/json/index.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';
import { makeFolder } from '../../folder.ts';

let dataDir: string;
let store: KeyValueStore;
const open = async (): Promise<void> => {
  store = await json.open(json.parse(''), { dataDir, log: () => undefined });
};
const reopen = async (): Promise<void> => {
  await store.close();
  await open();
};
const files = async (): Promise<string[]> =>
  (await readdir(dataDir, { recursive: true })).filter((name) => name.endsWith('.json')).toSorted();

beforeEach(async () => {
  dataDir = await makeFolder();
  await open();
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const stamp = (n: number): string => String(1_700_000_000 + n).padStart(11, '0');
/** An upload of some 5 kB. */
const upload = (n: number) => [`l/4f2a/${stamp(n)}/000`, JSON.stringify({ n, text: 'x'.repeat(5000) })] as const;

it('the file of an account is readable for humans', async () => {
  const version = await store.commit({
    set: [
      ['u/4f2a/head', '{"profile":{"name":"alice"},"stamp":1700000001}'],
      ['u/4f2a/list/phone', '["http://example.org/feed","http://example.org/ü"]'],
      ['u/4f2a/device/"phone"', '{"caption":"Phone"}'],
    ],
  });
  await reopen();
  const text = await readFile(join(dataDir, 'users', '4f2a', 'account.json'), 'utf8');
  expect(text.replace(/"checksum": "[\da-f]{8}"/, '"checksum": "..."')).toBe(`{
"checksum": "...",
"prefix": "u/4f2a/",
"keys": {
"device/\\u0022phone\\u0022": {"caption":"Phone"},
"head": {"profile":{"name":"alice"},"stamp":1700000001},
"list/phone": ["http://example.org/feed","http://example.org/ü"]
},
"until": "u/4f2a0",
"versions": [${version},${version},${version}]
}
`);
});

it('related keys are in one file, readable for its owner only', async () => {
  const keys = ['n/alice', 'n/bob', 's/x', 'p/Ab/url', 'p/Ab/info', 'e/Ab/0', 'e/Ab/1', 'e/aB/0', 'f/Ab/4f2a'];
  const account = ['u/4f2a/head', 'l/4f2a/1/0', 'a/Ab/4f2a', 'k/tags', 'z/1', 'alone', 'u/x'];
  await store.commit({ set: [...keys, ...account].map((key) => [key, 'true']) });
  await reopen();
  const ofAll = ['directory', 'listeners', 'logins', 'other', 'podcasts', 'sessions', 'subscribers'];
  const ofOne = ['account', 'actions'].map((name) => `users/4f2a/${name}`);
  const expected = [...ofAll, 'episodes/_ab', 'episodes/a_b', 'other/u', 'other/z', ...ofOne];
  expect(await files()).toEqual(expected.map((name) => `${name}.json`).toSorted());
  await store.close(); // or a checkpoint removes a file before its mode is read
  for (const name of await readdir(dataDir, { recursive: true })) {
    const { mode } = await stat(join(dataDir, name));
    expect([name, mode & 0o077]).toEqual([name, 0]);
  }
  await open();
  expect(await store.list({ from: ' ', until: '~', limit: 100 })).toHaveLength(keys.length + account.length);
});

it('actions are stored in files of limited length, which are not rewritten once they are full', async () => {
  for (let n = 0; n < 300; n += 1) await store.commit({ set: [upload(n)] });
  await reopen();
  const before = await files();
  expect(before.length).toBeGreaterThan(2);
  expect(before.at(-1)).toBe(join('users', '4f2a', 'actions.json')); // the first keys
  for (const name of before.slice(0, -1)) expect(name).toMatch(/actions\.017000\d{5}\.json$/);
  const inode = async (name: string): Promise<number> => (await stat(join(dataDir, name))).ino;
  const written = await Promise.all(before.map(inode));
  for (let n = 300; n < 600; n += 1) await store.commit({ set: [upload(n)] });
  await reopen();
  const after = await files();
  expect(after.length).toBeGreaterThan(before.length);
  const open = before.length - 2; // the last keys
  expect(await Promise.all(before.toSpliced(open, 1).map(inode))).toEqual(written.toSpliced(open, 1));
  for (const name of after) expect((await stat(join(dataDir, name))).size).toBeLessThan(600_000);
  const found = await store.list({ from: `l/4f2a/${stamp(90)}`, until: 'l/4f2a0', limit: 400 });
  expect(found.map(({ key }) => key)).toEqual(Array.from({ length: 400 }, (_, n) => upload(90 + n)[0]));
});

it('a file is not split at a key that is too long for a file name', async () => {
  const keyOf = (n: number): string => `l/4f2a/${'x'.repeat(300)}${100 + n}`;
  await store.commit({ set: Array.from({ length: 150 }, (_, n) => [keyOf(n), upload(n)[1]]) });
  await reopen();
  expect(await files()).toEqual([join('users', '4f2a', 'actions.json')]);
});

it('a missing file of actions is detected', async () => {
  for (let n = 0; n < 600; n += 1) await store.commit({ set: [upload(n)] });
  await store.close();
  const lost = (await files()).filter((name) => name.includes('actions'))[2]!;
  await rm(join(dataDir, lost));
  await open();
  const refusal = { code: 'corrupt', message: expect.stringContaining(`${join(dataDir, lost)} is missing; restore`) };
  await expect(store.list({ from: 'l/', until: 'l0', limit: 1000 })).rejects.toMatchObject(refusal);
  await expect(store.verify()).rejects.toMatchObject(refusal);
});

it('a removed account leaves no file and no folder', async () => {
  const keys = ['u/4f2a/head', 't/4f2a/1', 'n/alice', ...Array.from({ length: 300 }, (_, n) => upload(n)[0])];
  await store.commit({ set: keys.map((key) => [key, JSON.stringify('x'.repeat(5000))]) });
  await reopen();
  expect((await files()).length).toBeGreaterThan(4);
  await store.commit({ delete: keys });
  await reopen();
  expect(await readdir(join(dataDir, 'users'))).toEqual([]);
  expect(await files()).toEqual([]);
});

it('the files are written within ten minutes, and the write-ahead log is removed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await store.commit({ set: [['n/alice', '1']] });
  expect(await files()).toEqual([]);
  vi.advanceTimersByTime(600_000);
  await vi.waitUntil(async () => (await files()).includes('logins.json'), 40_000);
  const logs = async () => (await readdir(dataDir)).filter((name) => name.startsWith('wal-'));
  await vi.waitUntil(async () => (await logs()).length === 1, 40_000);
  expect((await stat(join(dataDir, (await logs())[0]!))).size).toBe(0);
});
