import { closeSync, existsSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { cp, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../plugins/sqlite/database.ts';
import { type Connection, loadDriver, loadPackage, pragma } from '../../../plugins/sqlite/driver.ts';
import { toStorageError } from '../../../plugins/sqlite/failure.ts';
import { openFile } from '../../../plugins/sqlite/file.ts';
import sqlite from '../../../plugins/sqlite/index.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';

const openConnection = await loadDriver();

let dataDir: string;
let path: string;

const open = (location = 'podsync.db'): Promise<KeyValueStore> =>
  sqlite.open(sqlite.parse(location), { dataDir, log: () => undefined });

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-sqlite-'));
  path = join(dataDir, 'podsync.db');
});
afterEach(() => rm(dataDir, { recursive: true }));

/** Runs SQL on the closed file. */
function change(sql: string): void {
  const file = openConnection(path);
  file.exec(sql);
  file.close();
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
    const database = await openDatabase(path, (file) => setting.push(pragma(file, 'fullfsync')));
    database.close();
    expect(setting).toEqual([1]);
  });

  it('is the only file left after closing', async () => {
    const store = await open();
    await store.commit({ set: [['a', '1']] });
    await store.close();
    expect(await readdir(dataDir)).toEqual(['podsync.db']);
  });

  it('is locked by one process at a time', async () => {
    const store = await open();
    await expect(open()).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining(path) });
    await expect(open()).rejects.toThrow('is in use by another process; stop that process first');
    await store.commit({ set: [['a', '1']] });
    await store.close();
    await (await open()).close();
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
      await refused('corrupt', `${path} is damaged; restore it from a backup (`);
    },
  );

  it('a folder', async () => {
    await mkdir(path);
    await refused('unavailable', `${path} is a folder; choose a file in it`);
  });

  it('a file that is no database', async () => {
    await writeFile(path, 'nothing of the kind'.repeat(1000));
    await refused('corrupt', `${path} is no SQLite database`);
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
  await expect(store.verify()).rejects.toThrow(/^\/.*\/podsync\.db is damaged; restore it from a backup \(\S.*\)$/);
  await store.close();
});

describe('better-sqlite3', () => {
  it('is missing: the error says how to install it', async () => {
    const missing = loadPackage(() => import('better-sqlite3-that-nobody-has' as string));
    await expect(missing).rejects.toMatchObject({ code: 'unavailable' });
    await expect(missing).rejects.toThrow(
      /: npm install better-sqlite3@\S+ \(with -g if podsync was installed with -g\)$/,
    );
  });

  it('is built for another Node: the error says how to rebuild it', async () => {
    const broken = loadPackage(() => Promise.reject(new Error('NODE_MODULE_VERSION 93')));
    await expect(broken).rejects.toThrow('cannot be loaded (NODE_MODULE_VERSION 93); rebuild it');
  });
});

it.each([
  [13, 'database or disk is full', 'full', 'cannot grow, the disk is full'],
  [5 | (2 << 8), 'database is locked', 'busy', 'is in use by another process'],
  [11 | (1 << 8), 'database disk image is malformed', 'corrupt', 'is damaged'],
  [10 | (3 << 8), 'disk I/O error', 'unavailable', '(SQLite error 778, disk I/O error)'],
])('error %i of node:sqlite has the same meaning as the error of better-sqlite3', (errcode, errstr, code, text) => {
  const error = Object.assign(new Error(errstr), { code: 'ERR_SQLITE_ERROR', errcode, errstr });
  expect(toStorageError(error, path)).toMatchObject({ code, message: expect.stringContaining(text) });
});

const OPEN_FILES = '/proc/self/fd';

/** The descriptor of a file that this process has open. */
function numberOf(file: string): number {
  const isOf = (number: string): boolean => {
    try {
      return readlinkSync(join(OPEN_FILES, number)) === file;
    } catch {
      return false; // of the folder that was listed: it is closed by now
    }
  };
  return Number(readdirSync(OPEN_FILES).find(isOf));
}

/** Replaces an open file by another one. */
function swap(number: number, other: string): void {
  closeSync(number);
  expect(openSync(other, 'r+')).toBe(number); // the lowest that is free
}

const set = (key: string, size = 1) => ({ set: [[key, JSON.stringify('x'.repeat(size))]] }) as const;
const keysIn = (database: Database): string[] =>
  database.list({ from: ' ', until: '~', limit: 100 }).map(({ key }) => key);
const codesOf = (outcomes: ReturnType<Database['commit']>): unknown[] =>
  outcomes.map((outcome) => ('error' in outcome ? outcome.error.code : typeof outcome.version));

describe('a full disk', () => {
  it('refuses what does not fit, keeps the rest, and accepts more when there is space again', async () => {
    await (await open()).close();
    change('VACUUM');
    const limit = await openFile(path, (connection) => connection);
    const pages = pragma<number>(limit, 'page_count');
    limit.close();
    const database = await openDatabase(
      path,
      (connection) => void connection.exec(`PRAGMA max_page_count = ${pages + 5}`),
    );
    const version = database.commit([set('before')]);
    const outcomes = database.commit([set('small'), set('large', 1_000_000), set('other'), { check: [['x', 1]] }]);
    expect(codesOf(outcomes)).toEqual(['number', 'full', 'number', 'undefined']);
    expect(outcomes[1]).toMatchObject({ error: { message: expect.stringContaining('cannot grow, the disk is full') } });
    expect(keysIn(database)).toEqual(['before', 'other', 'small']);
    expect(version).not.toContainEqual(outcomes[0]);
    database.close();

    const again = await openDatabase(path);
    expect(codesOf(again.commit([set('large', 1_000_000)]))).toEqual(['number']);
    expect(keysIn(again)).toEqual(['before', 'large', 'other', 'small']);
    again.close();
  });

  it.skipIf(!existsSync(OPEN_FILES))('without any space still allows reads', async () => {
    let connection: Connection | undefined;
    const database = await openDatabase(path, (opened) => void (connection = opened));
    database.commit([set('before')]);
    pragma(connection!, 'wal_checkpoint(TRUNCATE)');
    const number = numberOf(`${path}-wal`);
    swap(number, '/dev/full');
    expect(codesOf(database.commit([set('more'), set('less')]))).toEqual(['full', 'full']);
    expect(keysIn(database)).toEqual(['before']);
    swap(number, `${path}-wal`);
    expect(codesOf(database.commit([set('more')]))).toEqual(['number']);
    expect(keysIn(database)).toEqual(['before', 'more']);
    database.close();
  });
});

describe.skipIf(!existsSync(OPEN_FILES))('a commit that the disk does not confirm', () => {
  let log: string;
  let database: Database;
  /** The descriptor of the log: until it is swapped back, nothing can be synced. */
  let number: number;

  const copy = async (): Promise<string> => {
    const folder = await mkdtemp(join(dataDir, 'copy-'));
    for (const name of ['podsync.db', 'podsync.db-wal']) await cp(join(dataDir, name), join(folder, name));
    return join(folder, 'podsync.db');
  };
  const unavailable = expect.objectContaining({ code: 'unavailable' });

  beforeEach(async () => {
    log = `${path}-wal`;
    database = await openDatabase(path);
    database.commit([set('before')]);
    // The bytes of the complete commit.
    const whole = await copy();
    const other = await openDatabase(whole);
    other.commit([set('unsure')]);
    const written = await readFile(`${whole}-wal`);
    other.close();

    number = numberOf(log);
    swap(number, '/dev/null'); // takes everything, and fails to sync
    expect(codesOf(database.commit([set('unsure')]))).toEqual(['unavailable']);
    await writeFile(log, written);
  });

  it('is not stored after anything was read, even after a crash', async () => {
    expect(() => keysIn(database)).toThrow(unavailable);
    expect(() => database.ping()).toThrow(unavailable);
    expect(codesOf(database.commit([set('more')]))).toEqual(['unavailable']);
    swap(number, log);
    expect(keysIn(database)).toEqual(['before']);

    const crashed = await openDatabase(await copy());
    expect(keysIn(crashed)).toEqual(['before']);
    crashed.close();
    database.close();
  });

  it('is not stored, even if the log reappears after podsync has ended', async () => {
    swap(number, log);
    await link(log, `${log}-again`);
    database.close();
    await rename(`${log}-again`, log);
    const after = await openDatabase(path);
    expect(keysIn(after)).toEqual(['before']);
    after.close();
  });
});
