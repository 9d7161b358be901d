import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import json from '../../../plugins/json/index.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';
import { makeFolder } from '../../folder.ts';
import { copyFolder } from './copy-folder.ts';

let dataDir: string;
let killed: string;
const open = (folder = dataDir): Promise<KeyValueStore> =>
  json.open(json.parse(''), { dataDir: folder, log: () => undefined });
const read = async (store: KeyValueStore, ...keys: string[]) => (await store.get(keys)).map((entry) => entry?.value);
const logsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('wal-')).map((name) => join(folder, name));

beforeEach(async () => {
  dataDir = await makeFolder();
  killed = await makeFolder();
});

describe('the write-ahead log', () => {
  /** A folder as left by a killed process, and its log. */
  async function kill(commits: (store: KeyValueStore) => Promise<unknown>): Promise<string> {
    const store = await open();
    await store.commit({ set: [['a', '1']] });
    await store.commit({ set: [['b', '"two\\n"']] });
    await commits(store);
    await copyFolder(dataDir, killed);
    await store.close();
    return (await logsIn(killed)).at(-1)!;
  }
  const NOTHING = async (): Promise<void> => undefined;

  it('restores changes that are in no file, values with line breaks, and the version', async () => {
    let version: number | undefined;
    await kill(async (store) => {
      const set = [['c', '{\n  "d":\n3 }'], ['e', '4']] as const; // prettier-ignore
      version = await store.commit({ set, delete: ['a'] });
    });
    for (const _time of [1, 2]) {
      const after = await open(killed);
      expect(await read(after, 'a', 'b', 'c', 'e')).toEqual([undefined, '"two\\n"', '{"d":3}', '4']);
      expect(await after.commit({ set: [['e', '4']] })).toBeGreaterThan(version!);
      await after.close();
    }
  });

  it('loses an incomplete last line, and no other', async () => {
    const log = await kill((store) => store.commit({ set: [['c', '3']] }));
    await truncate(log, (await stat(log)).size - 3);
    let after = await open(killed);
    expect(await read(after, 'a', 'b', 'c')).toEqual(['1', '"two\\n"', undefined]);
    await after.commit({ set: [['d', '4']] });
    await after.close();
    after = await open(killed);
    expect(await read(after, 'a', 'b', 'c', 'd')).toEqual(['1', '"two\\n"', undefined, '4']);
    await after.close();
  });

  it.each([
    ['the first page', (line: Buffer) => line.fill(0, 0, 20)],
    ['a page, which has line breaks of another file', (line: Buffer) => line.fill('[]\n', 20, 30)],
  ])('after a power failure that lost %s of unsynced commits, only those commits are lost', async (_, spoil) => {
    let synced = 0;
    const log = await kill(async (store) => {
      synced = (await stat((await logsIn(dataDir)).at(-1)!)).size;
      await Promise.all(['c', 'd'].map((key) => store.commit({ set: [[key, '3']] })));
    });
    const bytes = await readFile(log);
    spoil(bytes.subarray(synced));
    await writeFile(log, bytes);
    const after = await open(killed);
    expect(await read(after, 'a', 'b', 'c', 'd')).toEqual(['1', '"two\\n"', undefined, undefined]);
    await after.close();
  });

  it('with a damaged line in the middle, the store does not start, and the error names the line', async () => {
    const log = await kill(NOTHING);
    const text = await readFile(log, 'utf8');
    await writeFile(log, text.replace('"a"', '"x"'));
    const refusal = { code: 'corrupt', message: expect.stringContaining(`${log} is damaged in line 1; restore`) };
    for (const _time of [1, 2]) await expect(open(killed)).rejects.toMatchObject(refusal);
    await writeFile(log, text);
    await (await open(killed)).close();
  });

  it('with a damaged last line and a newer file, the store does not start', async () => {
    const log = await kill(NOTHING);
    const older = join(killed, 'wal-000000000000.jsonl');
    const text = await readFile(log, 'utf8');
    await writeFile(older, `${text.replace('"b"', '"x"')}`);
    const message = expect.stringContaining(`${older} is damaged in line 2`);
    await expect(open(killed)).rejects.toMatchObject({ code: 'corrupt', message });
    expect(await readFile(older, 'utf8')).toContain('"x"');
  });

  it('must exist if there are data files', async () => {
    await kill(NOTHING);
    await (await open(killed)).close();
    for (const log of await logsIn(killed)) await rm(log);
    const message = expect.stringContaining(`${killed} has no wal-*.jsonl`);
    await expect(open(killed)).rejects.toMatchObject({ code: 'corrupt', message });
  });

  it('is checked by verify', async () => {
    const store = await open();
    await store.commit({ set: [['a', '1']] });
    await store.verify();
    const [log] = await logsIn(dataDir);
    await writeFile(log!, (await readFile(log!, 'utf8')).replace('"a"', '"x"'));
    await expect(store.verify()).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining(log!) });
    await store.close();
  });
});

describe('a file', () => {
  const HEAD = '{"name":"bob"}';
  let path: string;

  beforeEach(async () => {
    path = join(dataDir, 'users', 'bob', 'account.json');
    const store = await open();
    await store.commit({ set: [['u/bob/head', HEAD], ['u/bob/list', '[]'], ['u/eve/head', '1']] }); // prettier-ignore
    await store.close();
  });

  it.each([
    ['is cut off', (text: string) => text.slice(0, -5), 'is damaged'],
    ['is empty', () => '', 'is damaged'],
    ['has another value', (text: string) => text.replace('bob"}', 'rob"}'), 'was changed after podsync wrote it'],
    ['has other JSON', () => 'null', 'is damaged'],
    [
      'has the data of another account',
      (text: string) => text.replace(/bob\//g, 'eve/'),
      'was changed after podsync wrote it',
    ],
  ])('that %s is reported by name when it is read and when it is verified', async (_, spoil, what) => {
    await writeFile(path, spoil(await readFile(path, 'utf8')));
    const store = await open();
    const refusal = { code: 'corrupt', message: expect.stringContaining(`${path} ${what}; restore the data folder`) };
    await expect(store.get(['u/bob/head'])).rejects.toMatchObject(refusal);
    await expect(store.list({ from: 'u/', until: 'u0', limit: 10 })).rejects.toMatchObject(refusal);
    await expect(store.commit({ check: [['u/bob/head', 1]] })).rejects.toMatchObject(refusal);
    await expect(store.verify()).rejects.toMatchObject(refusal);
    expect(await read(store, 'u/eve/head')).toEqual(['1']);
    await store.close();
  });

  it('edited by hand is used after its checksum is removed, as the message advises', async () => {
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"bob"', '"rob"').replace(/"checksum".*\n/, ''));
    const store = await open();
    await store.verify();
    expect(await read(store, 'u/bob/head', 'u/bob/list')).toEqual(['{"name":"rob"}', '[]']);
    await store.close();
  });

  it('that is damaged does not block writing others', async () => {
    await writeFile(path, '');
    let store = await open();
    await store.commit({ set: [['u/bob/new', '1'], ['u/eve/new', '2']] }); // prettier-ignore
    await store.close();
    expect(await readFile(join(dataDir, 'users', 'eve', 'account.json'), 'utf8')).toContain('"new": 2');
    store = await open();
    expect(await read(store, 'u/bob/new', 'u/eve/new')).toEqual(['1', '2']);
    await store.close();
  });

  it('that is damaged is not tried again with every change, as each attempt starts another log file', async () => {
    await writeFile(path, '');
    const warnings: string[] = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const store = await json.open(json.parse(''), { dataDir, log: (_, message) => warnings.push(message) });
    await store.commit({ set: [['u/bob/new', '1']] });
    await vi.waitUntil(() => {
      vi.advanceTimersByTime(10 * 60_000);
      return warnings.length === 1;
    }, 40_000);
    await store.commit({ set: [['u/eve/new', '2']] });
    vi.advanceTimersByTime(9 * 60_000);
    await store.close();
    const warning = expect.stringMatching(/^changes stay in the write-ahead log .*account\.json is damaged; restore/);
    expect(warnings).toEqual([warning, warning]);
  });

  it.each([
    ['EISDIR', (file: string) => mkdir(file)],
    ['ELOOP', (file: string) => symlink(file, file)],
  ])('that cannot be read is named in the error, as one of many may have another owner: %s', async (code, spoil) => {
    await rm(path);
    await spoil(path);
    const store = await open();
    const message = `${path} cannot be accessed (${code}); check its disk, owner and permissions`;
    await expect(store.get(['u/bob/head'])).rejects.toMatchObject({ code: 'unavailable', message });
    await store.close();
  });

  it('left incomplete by a killed process is removed', async () => {
    await writeFile(`${path}.new`, '{');
    await (await open()).close();
    expect(await readdir(join(dataDir, 'users', 'bob'))).toEqual(['account.json']);
  });

  it('at the path of the folder is reported', async () => {
    for (const folder of [path, join(path, 'below')]) {
      const message = `${folder} is a file, or inside one; choose a folder`;
      await expect(open(folder)).rejects.toMatchObject({ code: 'unavailable', message });
    }
  });
});
