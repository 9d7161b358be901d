import { closeSync, existsSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { cp, link, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type Database, openDatabase } from '../../../plugins/sqlite/database.ts';
import { type Connection, pragma } from '../../../plugins/sqlite/driver.ts';
import { openFile } from '../../../plugins/sqlite/file.ts';
import sqlite from '../../../plugins/sqlite/index.ts';
import { makeFolder } from '../../folder.ts';

let dataDir: string;
let path: string;

beforeEach(async () => {
  dataDir = await makeFolder();
  path = join(dataDir, 'podsync.db');
});

const openPrepared = (prepare: (connection: Connection) => void): Promise<Database> =>
  openFile(path, 'write', (connection, close) => {
    prepare(connection);
    return createDatabase(path, connection, close);
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
function swap(number: number, other: string, flags = 'r+'): void {
  closeSync(number);
  expect(openSync(other, flags)).toBe(number); // the lowest that is free
}

const set = (key: string, size = 1) => ({ set: [[key, JSON.stringify('x'.repeat(size))]] }) as const;
const keysIn = (database: Database): string[] =>
  database.list({ from: ' ', until: '~', limit: 100 }).map(({ key }) => key);
const codesOf = (outcomes: ReturnType<Database['commit']>): unknown[] =>
  outcomes.map((outcome) => ('code' in outcome ? outcome.code : typeof outcome.value));

it('nothing of what was removed or replaced is left in the file', async () => {
  const database = await openDatabase(path);
  const secret = (key: string, times: number) => ({ set: [[key, JSON.stringify('secret '.repeat(times))]] }) as const;
  database.commit([secret('long', 10_000), secret('short', 1), secret('replaced', 3), set('other')]);
  database.commit([{ delete: ['long', 'short'] }, set('replaced')]);
  expect(keysIn(database)).toEqual(['other', 'replaced']);
  database.close();
  expect((await readFile(path)).includes('secret')).toBe(false);
});

describe('a full disk', () => {
  it('refuses what does not fit, keeps the rest, and accepts more when there is space again', async () => {
    const pages = await openFile(path, 'write', (connection, close) => {
      connection.exec('VACUUM');
      const count = pragma<number>(connection, 'page_count');
      close();
      return count;
    });
    const database = await openPrepared((connection) => void connection.exec(`PRAGMA max_page_count = ${pages + 5}`));
    const version = database.commit([set('before')]);
    const outcomes = database.commit([set('small'), set('large', 1_000_000), set('other'), { check: [['x', 1]] }]);
    expect(codesOf(outcomes)).toEqual(['number', 'full', 'number', 'undefined']);
    expect(outcomes[1]).toMatchObject({
      message: expect.stringContaining('cannot grow because the disk is full'),
    });
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
    const database = await openPrepared((opened) => void (connection = opened));
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

  it.skipIf(!existsSync(OPEN_FILES))('at the first commit does not lead to versions that are used twice', async () => {
    let connection: Connection | undefined;
    const database = await openPrepared((opened) => void (connection = opened));
    pragma(connection!, 'wal_checkpoint(TRUNCATE)');
    const number = numberOf(`${path}-wal`);
    swap(number, '/dev/full');
    expect(codesOf(database.commit([set('more')]))).toEqual(['full']);
    swap(number, `${path}-wal`);
    const [used] = database.commit([set('more')]);
    database.close();

    const again = await openDatabase(path);
    expect(again.commit([set('a'), set('b'), set('c')])).not.toContainEqual(used);
    again.close();
  });
});

it.skipIf(!existsSync(OPEN_FILES))(
  'a disk that fails to read is named, as SQLite calls the file malformed',
  async () => {
    (await openDatabase(path)).close();
    const database = await openDatabase(path);
    const number = numberOf(path);
    swap(number, '/proc/self/mem', 'r'); // its first pages cannot be read: EIO
    expect(() => database.verify()).toThrow(
      'podsync.db is damaged, or its disk is failing; check the disk, then restore',
    );
    swap(number, path);
    database.verify();
    database.close();
  },
);

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

  it('is not stored after the store was read, which has another connection for that', async () => {
    swap(number, log);
    database.close();
    const store = await sqlite.open({ file: path }, { dataDir, log: () => undefined });
    await store.commit({ set: [['other', '1']] });
    number = numberOf(log);
    await store.get(['other']);
    swap(number, '/dev/null');
    await expect(store.commit({ set: [['unsure', '1']] })).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.get(['unsure'])).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
    swap(number, log);
    expect(await store.get(['unsure', 'other'])).toMatchObject([undefined, { value: '1' }]);
    await store.close();
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
