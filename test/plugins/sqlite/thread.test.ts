import { execFileSync } from 'node:child_process';
import { mkdir, rename, rmdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import sqlite from '../../../plugins/sqlite/index.ts';
import { writer } from '../../../plugins/sqlite/thread.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';
import { makeFolder } from '../../folder.ts';

let dataDir: string;
let store: KeyValueStore;

beforeEach(async () => {
  dataDir = await makeFolder();
  store = await sqlite.open(sqlite.parse(''), { dataDir, log: () => undefined });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
});

const large = Array.from({ length: 20_000 }, (_, n) => [`k/${n}`, '"x"'] as const);

/** Few keys with long values, which take some time to store. */
const long = Array.from({ length: 1000 }, (_, n) => [`k/${n}`, JSON.stringify('x'.repeat(10_000))] as const);

it('SQLite does not block the event loop', async () => {
  const commit = store.commit({ set: large }).then(() => 'SQLite');
  await new Promise(setImmediate);
  const server = new Promise((resolve) => void setImmediate(() => resolve('the server')));
  expect(await Promise.race([commit, server])).toBe('the server');
  await commit;
});

it('reads do not wait for a commit', async () => {
  await store.commit({ set: [['a', '1']] });
  await store.get(['a']); // opens the file in its thread
  const commit = store.commit({ set: long }).then(() => 'commit');
  const read = store.get(['a']).then(() => 'read');
  expect(await Promise.race([commit, read])).toBe('read');
  await commit;
});

it('a thread that broke down is replaced by one that knows everything that was committed', async () => {
  const version = await store.commit({ set: [['a', '1']] });
  // The only way to break it: a call with a timeout of zero, which follows the commit at once.
  const request = {
    store: 0,
    path: join(dataDir, 'other.db'),
    operations: [{ kind: 'ping' as const, args: [] as [] }],
  };
  const { run } = writer;
  const breakdown = new Promise((resolve) => {
    vi.spyOn(writer, 'run').mockImplementationOnce((...commit) => {
      const committing = run(...commit);
      resolve(run(request, 0));
      return committing;
    });
  });
  const commit = store.commit({ set: long }).catch((error: unknown) => error);
  await expect(breakdown).rejects.toThrow('took more than');
  expect(await commit).toMatchObject({ code: 'unavailable', message: expect.stringContaining('try again') });

  expect(await store.get(['a'])).toEqual([{ key: 'a', value: '1', version }]);
  expect(await store.commit({ check: [['a', version!]], set: [['a', '2']] })).not.toBe(version);
});

it('a file that cannot be opened after a breakdown is opened again as soon as it can', async () => {
  await store.commit({ set: [['a', '1']] });
  const operations = [{ kind: 'commit' as const, batch: { set: long } }];
  const request = { store: 0, path: join(dataDir, 'other.db'), operations };
  await expect(writer.run(request, 0)).rejects.toThrow('took more than');
  const path = join(dataDir, 'podsync.sqlite');
  await rename(path, `${path}-away`);
  await mkdir(path);
  await expect(store.get(['a'])).rejects.toMatchObject({ code: 'unavailable' });
  await rmdir(path);
  await rename(`${path}-away`, path);
  expect(await store.get(['a'])).toMatchObject([{ value: '1' }]);
});

it('two stores use two files', async () => {
  const other = await sqlite.open(sqlite.parse('other.db'), { dataDir, log: () => undefined });
  await Promise.all([store.commit({ set: [['a', '1']] }), other.commit({ set: [['b', '2']] })]);
  expect(await store.get(['a', 'b'])).toMatchObject([{ value: '1' }, undefined]);
  expect(await other.get(['a', 'b'])).toMatchObject([undefined, { value: '2' }]);
  await other.close();
  await store.ping();
});

it('a single-file build runs SQLite in its thread, too, if the driver is installed next to it', async () => {
  const root = join(import.meta.dirname, '../../..');
  const input = join(root, 'plugins/sqlite/index.ts');
  const bundle = await rolldown({ input, platform: 'node', external: ['better-sqlite3'] });
  await bundle.write({ file: join(dataDir, 'plugin.mjs'), codeSplitting: false });
  await mkdir(join(dataDir, 'node_modules'));
  await symlink(join(root, 'node_modules/better-sqlite3'), join(dataDir, 'node_modules/better-sqlite3'));
  const program = `
    import plugin from './plugin.mjs';
    const store = await plugin.open(plugin.parse('own.db'), { dataDir: '.' });
    await store.commit({ set: [['a', '"from one file"']] });
    console.log((await store.get(['a']))[0].value);
    await store.close();`;
  await writeFile(join(dataDir, 'program.mjs'), program);
  expect(execFileSync(process.execPath, ['program.mjs'], { cwd: dataDir, encoding: 'utf8' })).toBe('"from one file"\n');
});
