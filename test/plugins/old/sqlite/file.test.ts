import { closeSync, existsSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { cp, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Database } from '../../../../plugins/old/sqlite/database.ts';
import { loadDriver } from '../../../../plugins/old/sqlite/driver.ts';
import { PAGE, WINDOW_END } from '../../../../plugins/old/sqlite/history.ts';
import sqlite from '../../../../plugins/old/sqlite/index.ts';
import { createRemoval } from '../../../../plugins/old/sqlite/removal.ts';
import { openInThisThread } from '../../../../plugins/old/sqlite/storage.ts';
import { SUBSCRIPTIONS_SINCE } from '../../../../plugins/old/sql/subscriptions.ts';
import type { EpisodeAction, StorageContext, Stamp, Storage, UserId } from '../../../../src/old-plugin.ts';

let dataDir: string;
let path: string;
let context: StorageContext;

const open = (location = 'podsync.db'): Promise<Storage> => sqlite.open(sqlite.parse(location), context);

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-sqlite-'));
  path = join(dataDir, 'podsync.db');
  context = { dataDir, now: () => 1_700_000_000, overlap: 120, log: () => undefined };
});
afterEach(() => rm(dataDir, { recursive: true }));

describe('the file', () => {
  it.each([
    ['', 'podsync.sqlite'],
    ['own.db', 'own.db'],
    ['in/a folder/own.db', 'in/a folder/own.db'],
  ])('of "%s" is %s in the data folder', async (location, file) => {
    await (await open(location)).close();
    expect((await stat(join(dataDir, file))).isFile()).toBe(true);
  });

  it('and all beside it is for its owner alone', async () => {
    const storage = await open();
    await storage.users.create({ name: 'bob', passwordHash: 'x' });
    const names = await readdir(dataDir);
    expect(names).toContain('podsync.db-wal');
    for (const name of names) {
      const { mode } = await stat(join(dataDir, name));
      expect([name, mode & 0o077]).toEqual([name, 0]);
    }
    await storage.close();
  });

  it('gets folders for its owner alone', async () => {
    await (await open('in/folders/own.db')).close();
    for (const folder of ['in', 'in/folders']) expect((await stat(join(dataDir, folder))).mode & 0o077).toBe(0);
  });

  it('belongs to one process at a time, and says so', async () => {
    const storage = await open();
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'busy' }));
    await expect(open()).rejects.toThrow(`${path} is in use by another process`);
    await storage.close();
    await (await open()).close();
  });
});

describe('refuses, and leaves as it is,', () => {
  const refused = async (code: string, words: string): Promise<void> => {
    const before = await stat(path);
    await expect(open()).rejects.toThrow(expect.objectContaining({ code }));
    await expect(open()).rejects.toThrow(words);
    expect((await stat(path)).size).toBe(before.size);
  };

  it('a file of a newer podsync', async () => {
    await (await open()).close();
    const newer = new Driver(path);
    const version = newer.pragma('user_version', { simple: true }) as number;
    newer.pragma(`user_version = ${version + 1}`);
    newer.close();
    await refused('corrupt', `written by a newer podsync (schema ${version + 1}, this one knows ${version})`);
    const left = new Driver(path);
    expect(left.pragma('user_version', { simple: true })).toBe(version + 1);
    left.close();
  });

  it('the database of another program', async () => {
    const other = new Driver(path);
    other.exec('CREATE TABLE users (name TEXT)');
    other.close();
    await refused('corrupt', `${path} is a database of another program`);
    const left = new Driver(path);
    expect(left.prepare('SELECT count(*) AS count FROM sqlite_schema').get()).toEqual({ count: 1 });
    left.close();
  });

  it.each([
    ['a file that lacks a table', 'DROP TABLE lists'],
    ['a file whose search index is of another form', `UPDATE search_index_config SET v = 99 WHERE k = 'version'`],
  ])('%s', async (_what, damage) => {
    await (await open()).close();
    const file = new Driver(path);
    file.unsafeMode().pragma('foreign_keys = OFF');
    file.exec(damage);
    file.close();
    await refused('corrupt', `${path} is damaged; restore it from a backup (`);
  });

  it('a folder', async () => {
    await mkdir(path);
    await refused('unavailable', `${path} is a folder; give podsync a file in it`);
  });

  it('what is no database', async () => {
    await writeFile(path, 'nothing of the kind'.repeat(1000));
    await refused('corrupt', `${path} is not an SQLite database`);
  });
});

it('tells in one line of a damaged page that nobody has to read', async () => {
  await (await open()).close();
  const file = new Driver(path);
  const { rootpage } = file
    .prepare<[], { rootpage: number }>(`SELECT rootpage FROM sqlite_schema WHERE name = 'sessions_by_end'`)
    .get()!;
  const size = file.pragma('page_size', { simple: true }) as number;
  file.close();
  await writeFile(path, (await readFile(path)).fill(0xff, (rootpage - 1) * size, rootpage * size));
  const storage = await open();
  await expect(storage.verify()).rejects.toThrow(expect.objectContaining({ code: 'corrupt' }));
  await expect(storage.verify()).rejects.toThrow(/^\/.*\/podsync\.db is damaged; restore it from a backup \(\S.*\)$/);
  await storage.close();
});

describe('better-sqlite3', () => {
  it('that is not there is asked for', async () => {
    const missing = loadDriver(() => import('better-sqlite3-that-nobody-has' as string));
    await expect(missing).rejects.toThrow(expect.objectContaining({ code: 'unavailable' }));
    await expect(missing).rejects.toThrow('npm install better-sqlite3@');
  });

  it('that does not fit is asked to be built again', async () => {
    const broken = loadDriver(() => Promise.reject(new Error('NODE_MODULE_VERSION 93')));
    await expect(broken).rejects.toThrow('cannot be loaded (NODE_MODULE_VERSION 93); install it again');
  });
});

const OPEN_FILES = '/proc/self/fd';

/** The number under which this process has the file open. */
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

/** Puts another file in the place of an open one. */
function swap(number: number, other: string): void {
  closeSync(number);
  expect(openSync(other, 'r+')).toBe(number); // the lowest that is free
}

describe('a full disk', () => {
  let database: Database;
  const add = (slug: string, size: number): Promise<unknown> => {
    const tag = database.prepare('INSERT INTO tags (slug, title) VALUES (@slug, @title)');
    return database.write(() => tag.run({ slug, title: 'x'.repeat(size) }));
  };
  const tags = (): Promise<unknown[]> =>
    database.read(() =>
      database
        .prepare<{ slug: string }>('SELECT slug FROM tags')
        .all({})
        .map(({ slug }) => slug),
    );
  beforeEach(async () => {
    database = await Database.open(path, context);
    await add('before', 10);
  });
  afterEach(() => database.close());

  it('refuses what does not fit, keeps the rest, and takes more when there is room again', async () => {
    const pages = database.prepare<{ page_count: number }>('PRAGMA page_count').get({})!.page_count;
    database.prepare(`PRAGMA max_page_count = ${pages + 5}`).get({});
    await expect(add('large', 1_000_000)).rejects.toThrow(expect.objectContaining({ code: 'full' }));
    await expect(add('large', 1_000_000)).rejects.toThrow('has no room left to grow; free some space');
    expect(await tags()).toEqual(['before']);
    database.prepare('PRAGMA max_page_count = 1000000').get({});
    await add('large', 1_000_000);
    expect(await tags()).toEqual(['before', 'large']);
  });

  it.skipIf(!existsSync(OPEN_FILES))('that takes nothing at all still lets everybody read', async () => {
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get({});
    const number = numberOf(`${path}-wal`);
    swap(number, '/dev/full');
    await expect(add('more', 10)).rejects.toThrow(expect.objectContaining({ code: 'full' }));
    expect(await tags()).toEqual(['before']);
    swap(number, `${path}-wal`);
    await add('more', 10);
    expect(await tags()).toEqual(['before', 'more']);
  });
});

describe.skipIf(!existsSync(OPEN_FILES))('a commit that the disk does not confirm', () => {
  const ACTION: EpisodeAction = {
    podcast: 'https://feeds.example/1',
    episode: 'https://media.example/1.mp3',
    action: 'download',
    timestamp: 1,
  };
  let now: number;
  const openIn = (folder: string): Promise<Storage> => {
    return openInThisThread('podsync.db', { ...context, dataDir: folder, now: () => now });
  };
  const copy = async (): Promise<string> => {
    const folder = await mkdtemp(join(dataDir, 'copy-'));
    for (const name of ['podsync.db', 'podsync.db-wal']) await cp(join(dataDir, name), join(folder, name));
    return folder;
  };
  const hear = async ({ actions }: Storage, id: UserId, since: Stamp): Promise<[EpisodeAction[], Stamp]> => {
    const { pages, mark } = await actions.query(id, { since });
    const heard: EpisodeAction[] = [];
    for await (const page of pages) heard.push(...page);
    return [heard, mark];
  };

  const unavailable = expect.objectContaining({ code: 'unavailable' });
  let log: string;
  let storage: Storage;
  let id: UserId;
  /** The number under which the log is open: until it is swapped back, nothing can be synced. */
  let number: number;

  beforeEach(async () => {
    log = `${path}-wal`;
    now = 1_700_000_000;
    storage = await openIn(dataDir);
    ({ id } = await storage.users.create({ name: 'bob', passwordHash: 'x' }));
    now += 10;
    // What the commit would write, were it whole.
    const folder = await copy();
    const other = await openIn(folder);
    await other.actions.append(id, [ACTION]);
    const whole = await readFile(join(folder, 'podsync.db-wal'));
    await other.close();

    number = numberOf(log);
    swap(number, '/dev/null'); // takes all, and fails to sync
    await expect(storage.actions.append(id, [ACTION])).rejects.toThrow(unavailable);
    await writeFile(log, whole);
    now += 30;
  });

  it('counts for nobody, also after a crash: who was told a mark since hears of what is sent again', async () => {
    await expect(hear(storage, id, 0)).rejects.toThrow(unavailable);
    await expect(storage.users.create({ name: 'eve', passwordHash: 'x' })).rejects.toThrow(unavailable);
    swap(number, log);
    const [heard, mark] = await hear(storage, id, 0);
    expect(heard).toEqual([]);

    const crashed = await openIn(await copy());
    now += 30;
    await crashed.actions.append(id, [ACTION]);
    expect((await hear(crashed, id, mark))[0]).toEqual([ACTION]);
    await crashed.close();
    await storage.close();
  });

  it('counts for nobody, also where the log is there again after podsync has ended', async () => {
    swap(number, log);
    await link(log, `${log}-again`);
    await storage.close();
    await rename(`${log}-again`, log);
    const after = await openIn(dataDir);
    expect((await hear(after, id, 0))[0]).toEqual([]);
    await after.close();
  });
});

describe('writes that come together', () => {
  let database: Database;
  /** One write. */
  const add = (...slugs: string[]): Promise<unknown> => {
    const tag = database.prepare('INSERT INTO tags (slug, title) VALUES (@slug, @slug)');
    return database.write(() => slugs.map((slug) => tag.run({ slug })));
  };
  const tags = (): unknown[] => database.prepare('SELECT slug FROM tags').all({});
  beforeEach(async () => {
    database = await Database.open(path, context);
  });
  afterEach(() => database.close());

  it('fail alone and whole, and are refused together where the commit fails', async () => {
    const results = await Promise.allSettled([add('a'), add('half', 'a'), add('b')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);

    const orphan = database.prepare('INSERT INTO podcast_tags (slug, podcast_id) VALUES (@slug, 99)');
    const broken = database.write(() => {
      database.prepare('PRAGMA defer_foreign_keys = ON').run({});
      orphan.run({ slug: 'a' });
    });
    const together = await Promise.allSettled([add('c'), broken, add('d')]);
    expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await add('e');
    expect(await database.read(tags)).toEqual([{ slug: 'a' }, { slug: 'b' }, { slug: 'e' }]);
  });

  it('are all stored, where they take too long for one commit', async () => {
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 1000));
    await Promise.all(['a', 'b', 'c'].map((slug) => add(slug))).finally(() => clock.mockRestore());
    expect(await database.read(tags)).toEqual([{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }]);
  });

  it('are all stored, where the file is closed after them', async () => {
    const written = Promise.all(['a', 'b'].map((slug) => add(slug)));
    await database.close();
    await written;
    database = await Database.open(path, context);
    expect(await database.read(tags)).toEqual([{ slug: 'a' }, { slug: 'b' }]);
  });
});

describe('a removed account', () => {
  const LENGTH = 5000;
  const fill = async (storage: Storage): Promise<UserId> => {
    const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
    const upload = Array.from({ length: LENGTH }, (_, n) => ({
      podcast: 'https://feeds.example/1',
      episode: `https://media.example/${n}.mp3`,
      action: 'download' as const,
      timestamp: n,
    }));
    await storage.actions.append(id, upload);
    return id;
  };
  const countLeft = (): number => {
    const connection = new Driver(path);
    const { count } = connection.prepare('SELECT count(*) AS count FROM actions').get() as { count: number };
    connection.close();
    return count;
  };

  it('is gone at once, and its history slice after slice, also after a stop', async () => {
    const storage = await openInThisThread(path, context); // nothing happens between two calls
    await storage.users.delete(await fill(storage));
    expect(await storage.users.find('bob')).toBeUndefined();
    await storage.close();
    expect(countLeft(), 'it was removed in one go').toBeGreaterThan(0);

    const database = await Database.open(path, context);
    const removed = createRemoval(database).run();
    await database.write(() => 'somebody else');
    expect(database.prepare('SELECT 1 FROM actions').get({}), 'others waited for all of it').toBeDefined();
    await removed;
    await database.close();
    expect(countLeft()).toBe(0);
  });

  it('takes its history with it while others write', async () => {
    const storage = await openInThisThread(path, context);
    const { id } = await storage.users.create({ name: 'eve', passwordHash: 'x' });
    await storage.users.delete(await fill(storage));
    for (let slices = 0; slices < 8; slices += 1) await storage.devices.save(id, 'phone', {});
    await storage.close();
    expect(countLeft()).toBe(0);
  });

  it('takes nothing from the next one of its name', async () => {
    const storage = await open();
    await storage.users.delete(await fill(storage));
    const next = await fill(storage);
    await storage.close();
    await (await open()).close();
    const database = await Database.open(path, context);
    await createRemoval(database).run();
    const left = database.prepare('SELECT DISTINCT CAST(user_id AS TEXT) AS id FROM actions').all({});
    expect(left).toEqual([{ id: next }]);
    await database.close();
    expect(countLeft()).toBe(LENGTH);
  });
});

it.each([
  ['a wrong count', 'UPDATE podcasts SET subscribers = 7', 7],
  ['a lost subscriber', 'DELETE FROM followers', 0],
])('%s is put right by the next recount', async (_what, damage, wrong) => {
  const url = 'https://feeds.example/1';
  const storage = await open();
  const { id } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  await storage.subscriptions.replace(id, 'phone', [url]);
  await storage.close();
  const file = new Driver(path);
  file.exec(damage);
  file.close();
  const { podcasts, close } = await open();
  expect(await podcasts.find([url])).toMatchObject([{ subscribers: wrong }]);
  expect(await podcasts.rebuildToplist()).toEqual({ podcasts: 1, corrected: 1 });
  expect(await podcasts.find([url])).toMatchObject([{ subscribers: 1 }]);
  await close();
});

describe('a since-read is one range of an index', () => {
  it.each([
    ['subscriptions', SUBSCRIPTIONS_SINCE, 'subscriptions_by_stamp (user_id=? AND device=? AND stamp>?)'],
    ['the end of a window of episode actions', WINDOW_END, 'PRIMARY KEY (user_id=? AND (stamp,place)>(?,?)'],
    ['a page of episode actions', PAGE, 'PRIMARY KEY (user_id=? AND (stamp,place)>(?,?) AND (stamp,place)<(?,?))'],
  ])('of %s, without sorting', async (_what, sql, range) => {
    await (await open()).close();
    const connection = new Driver(path);
    const values = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, 0]));
    const plan = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[];
    connection.close();
    const steps = plan.map(({ detail }) => detail).join('\n');
    expect(steps).toContain(range);
    expect(steps).not.toContain('B-TREE FOR ORDER BY');
    expect(steps).not.toMatch(/^SCAN (?!value|json_each)/m);
  });
});
