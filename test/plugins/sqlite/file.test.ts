import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../plugins/sqlite/database.ts';
import { loadDriver, pragma } from '../../../plugins/sqlite/driver.ts';
import { openFile } from '../../../plugins/sqlite/file.ts';
import sqlite from '../../../plugins/sqlite/index.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';
import { makeFolder } from '../../folder.ts';

const openConnection = await loadDriver();

let dataDir: string;
let path: string;

const open = (location = 'podsync.db'): Promise<KeyValueStore> =>
  sqlite.open(sqlite.parse(location), { dataDir, log: () => undefined });

beforeEach(async () => {
  dataDir = await makeFolder();
  path = join(dataDir, 'podsync.db');
});

/** Runs SQL on the closed file. */
function change(sql: string): void {
  const file = openConnection(path);
  file.exec(sql);
  file.close();
}

/** Opens files in another process. Returns the code of the error for each, or `open`. */
function openElsewhere(paths: readonly string[]): string[] {
  const program = `
    import { openDatabase } from './dist/plugins/sqlite/database.js';
    for (const path of ${JSON.stringify(paths)}) console.log(await openDatabase(path).then(() => 'open', ({ code }) => code));`;
  const cwd = join(import.meta.dirname, '../../..');
  const options = ['--input-type=module', '--eval', program];
  return execFileSync(process.execPath, options, { cwd, encoding: 'utf8' }).trim().split('\n');
}

describe('the file', () => {
  it.each([
    ['', 'podsync.sqlite'],
    ['own.db', 'own.db'],
    ['in/a folder/own.db', 'in/a folder/own.db'],
  ])('of "%s" is %s in the data folder', async (location, file) => {
    await (await open(location)).close();
    expect((await stat(join(dataDir, file))).isFile()).toBe(true);
  });

  it('and its other files are readable for their owner only', async () => {
    const store = await open();
    await store.commit({ set: [['a', '1']] });
    const names = await readdir(dataDir);
    expect(names).toContain('podsync.db-wal');
    for (const name of names) {
      const { mode } = await stat(join(dataDir, name));
      expect([name, mode & 0o077]).toEqual([name, 0]);
    }
    await store.close();
  });

  it('gets folders that only its owner can read', async () => {
    await (await open('in/folders/own.db')).close();
    for (const folder of ['in', 'in/folders']) expect((await stat(join(dataDir, folder))).mode & 0o077).toBe(0);
  });

  it('is written through the cache of the disk, which SQLite does by default except on macOS', async () => {
    const setting: unknown[] = [];
    const path = join(dataDir, 'own.db');
    await openFile(path, 'write', (file, close) => {
      setting.push(pragma(file, 'fullfsync'));
      close();
    });
    expect(setting).toEqual([1]);
  });

  it('and the empty file of its lock are all that is left after closing', async () => {
    const store = await open();
    await store.commit({ set: [['a', '1']] });
    await store.close();
    expect(await readdir(dataDir)).toEqual(['podsync.db', 'podsync.db-lock']);
    expect((await stat(join(dataDir, 'podsync.db-lock'))).size).toBe(0);
  });

  it('is locked by one process at a time', async () => {
    const store = await open();
    await expect(open()).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining(path) });
    await expect(open()).rejects.toThrow('is in use by another process; stop that process first');
    await store.commit({ set: [['a', '1']] });
    await store.close();
    await (await open()).close();
  });

  it('can be read by other programs meanwhile', async () => {
    const store = await open();
    await store.commit({ set: [['a', '1']] });
    const other = openConnection(path);
    expect(other.prepare<[]>('SELECT key, value FROM entries').all()).toEqual([{ key: 'a', value: '1' }]);
    other.close();
    await store.commit({ set: [['a', '2']] });
    await store.close();
  });

  it('stays locked for other processes after this one has tried to open it again', async () => {
    const store = await open();
    await expect(open()).rejects.toMatchObject({ code: 'busy' });
    expect(openElsewhere([path])).toEqual(['busy']);
    await store.close();
  });

  it('stays locked for other processes also if it was new and two stores were opened at once', async () => {
    const paths = Array.from({ length: 10 }, (_, n) => join(dataDir, `${n}.db`));
    const databases = [];
    for (const each of paths) {
      const both = await Promise.allSettled([openDatabase(each), openDatabase(each)]);
      databases.push(...both.filter((result) => result.status === 'fulfilled').map(({ value }) => value));
    }
    expect(databases).toHaveLength(paths.length);
    expect(openElsewhere(paths)).toEqual(paths.map(() => 'busy'));
    for (const database of databases) database.close();
  });
});

describe('refuses, and does not change,', () => {
  const refused = async (code: string, words: string): Promise<void> => {
    const before = await stat(path);
    await expect(open()).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    expect((await stat(path)).size).toBe(before.size);
  };
  const versionOfFile = (): number => {
    const file = openConnection(path);
    const version = pragma<number>(file, 'user_version');
    file.close();
    return version;
  };

  it('a file of a newer podsync', async () => {
    await (await open()).close();
    const version = versionOfFile();
    change(`PRAGMA user_version = ${version + 1}`);
    await refused('corrupt', `written by a newer podsync (schema ${version + 1}, this one supports ${version})`);
    expect(versionOfFile()).toBe(version + 1);
  });

  it('a file of a podsync with other tables', async () => {
    await (await open()).close();
    change('PRAGMA user_version = 1');
    await refused('corrupt', 'export it with that version (--format backup)');
    expect(versionOfFile()).toBe(1);
  });

  it('the database of another program', async () => {
    change('CREATE TABLE entries (name TEXT)');
    await refused('corrupt', `${path} is a database of another program`);
    const left = openConnection(path);
    expect(left.prepare<[]>('SELECT count(*) AS count FROM sqlite_schema').get()).toEqual({ count: 1 });
    left.close();
  });

  it.each(['DROP TABLE entries', 'DROP TABLE sequence', 'ALTER TABLE entries RENAME COLUMN value TO text'])(
    'a file after %s',
    async (damage) => {
      await (await open()).close();
      change(damage);
      await refused(
        'corrupt',
        `${path} is damaged, or its disk is failing; check the disk, then restore the file from a backup (`,
      );
    },
  );

  it('a folder', async () => {
    await mkdir(path);
    await refused('unavailable', `${path} is a folder; choose a file in it`);
  });

  it('a file that is no database', async () => {
    await writeFile(path, 'nothing of the kind'.repeat(1000));
    await refused('corrupt', `${path} is not an SQLite database`);
  });
});

it('a damaged index page, which no read detects, is reported in one line', async () => {
  await (await open()).close();
  const file = openConnection(path);
  const { rootpage } = file
    .prepare<[], { rootpage: number }>(`SELECT rootpage FROM sqlite_schema WHERE type = 'index'`)
    .get()!;
  const size = pragma<number>(file, 'page_size');
  file.close();
  await writeFile(path, (await readFile(path)).fill(0xff, (rootpage - 1) * size, rootpage * size));
  const store = await open();
  await expect(store.verify()).rejects.toMatchObject({ code: 'corrupt' });
  await expect(store.verify()).rejects.toThrow(
    /^\/.*\/podsync\.db is damaged, or its disk is failing; check the disk, then restore the file from a backup \(\S.*\)$/,
  );
  await store.close();
});
