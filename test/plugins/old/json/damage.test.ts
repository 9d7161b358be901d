import { randomUUID } from 'node:crypto';
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import type { Log, Storage, UserId } from '../../../../src/old-plugin.ts';
import { recordFeed } from '../../../readings.ts';

let dataDir: string;
let user: UserId;
let warnings: string[];
const A = 'http://example.org/a';
const B = 'http://example.org/b';

const log: Log = (_level, message) => void warnings.push(message);
const open = (): Promise<Storage> =>
  json.open(json.parse(''), { dataDir, now: () => 1_700_000_000, overlap: 120, log });
const subscribe = (storage: Storage, url: string): Promise<number> =>
  storage.subscriptions.apply(user, 'phone', [{ url, subscribed: true }]);
const find = async (folder: string, pattern: RegExp): Promise<string> => {
  const names = await readdir(folder, { recursive: true });
  return join(
    folder,
    names.find((name) => pattern.test(name))!,
  );
};

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-json-'));
  warnings = [];
  const storage = await open();
  ({ id: user } = await storage.users.create({ name: 'bob', passwordHash: 'x' }));
  await subscribe(storage, A);
  await storage.close();
});
afterEach(() => rm(dataDir, { recursive: true }));

/** The folder as a killed process leaves it: a journal with two changes that no snapshot has. */
async function kill(): Promise<{ journal: string; restore(): Promise<void> }> {
  const storage = await open();
  await subscribe(storage, B);
  await subscribe(storage, 'http://example.org/c');
  const journal = await find(dataDir, /journal/);
  const text = await readFile(journal, 'utf8');
  await storage.close();
  const accounts = await find(dataDir, /account\.json$/);
  return {
    journal,
    async restore() {
      await writeFile(journal, text);
      // As it was before the snapshot of the clean stop.
      const snapshot = await readFile(accounts, 'utf8');
      const before = JSON.parse(snapshot);
      before.seq = 0;
      before.subscriptions[0].rows = before.subscriptions[0].rows.slice(0, 1);
      await writeFile(accounts, JSON.stringify(before));
    },
  };
}

describe('the journal', () => {
  it('has what no snapshot has', async () => {
    const { restore } = await kill();
    await restore();
    const storage = await open();
    expect(await storage.subscriptions.current(user)).toEqual([A, B, 'http://example.org/c']);
    await storage.close();
  });

  it('has every kind of change', async () => {
    const storage = await open();
    await subscribe(storage, B);
    await storage.subscriptions.apply(user, 'laptop', []);
    await storage.devices.synchronize(user, [['phone', 'laptop']], []);
    await storage.subscriptions.apply(user, 'laptop', [{ url: A, subscribed: false }]);
    const set = JSON.parse('{"__proto__":[1],"gone":2}');
    await storage.settings.update(user, { kind: 'account' }, { set, remove: [], limit: 10 });
    await storage.settings.update(user, { kind: 'account' }, { set: {}, remove: ['gone'], limit: 10 });
    for (const name of ['first', 'gone', 'last']) await storage.lists.create(user, { name, title: name, urls: [A] });
    await storage.lists.replace(user, 'first', [B]);
    await storage.lists.delete(user, 'gone');

    // What a killed process leaves: the journal, and the snapshots of an earlier time.
    const killed = `${dataDir}-killed`;
    await cp(dataDir, killed, { recursive: true });
    await storage.close();
    const after = await json.open(json.parse(''), { dataDir: killed, now: () => 1_700_000_000, overlap: 120, log });
    expect(await after.devices.groups(user)).toEqual([['phone', 'laptop']]);
    for (const device of ['phone', 'laptop']) expect(await after.subscriptions.current(user, device)).toEqual([B]);
    expect(JSON.stringify(await after.settings.get(user, { kind: 'account' }))).toBe('{"__proto__":[1]}');
    expect(await after.lists.find(user, 'first')).toEqual({ name: 'first', title: 'first', urls: [B] });
    expect((await after.lists.all(user)).map(({ name }) => name)).toEqual(['first', 'last']);
    await after.close();
    await rm(killed, { recursive: true });
  });

  it('loses a last line that was cut off, and no other', async () => {
    const { journal, restore } = await kill();
    await restore();
    await truncate(journal, (await stat(journal)).size - 3);
    const storage = await open();
    expect(await storage.subscriptions.current(user)).toEqual([A, B]);
    await subscribe(storage, 'http://example.org/d');
    await storage.close();
    const again = await open();
    expect(await again.subscriptions.current(user)).toEqual([A, B, 'http://example.org/d']);
    await again.close();
  });

  it.each([
    ['its first page', (line: Buffer) => line.fill(0, 0, 40)],
    ['a page in it, which has line breaks of another file', (line: Buffer) => line.fill('[]\n', 40, 80)],
  ])('loses what was written together and not yet synced, where the power went and took %s', async (_, spoil) => {
    const storage = await open();
    const { id: eve } = await storage.users.create({ name: 'eve', passwordHash: 'x' });
    await subscribe(storage, B);
    await storage.subscriptions.apply(eve, 'phone', [{ url: A, subscribed: true }]);
    const upload = (id: UserId) => storage.subscriptions.apply(id, 'phone', [{ url: 'late', subscribed: true }]);
    const synced = (await stat(await find(dataDir, /journal/))).size;
    await Promise.all([upload(user), upload(eve)]);
    const killed = `${dataDir}-killed`;
    await cp(dataDir, killed, { recursive: true });
    await storage.close();
    const journal = await find(killed, /journal/);
    const bytes = await readFile(journal);
    spoil(bytes.subarray(synced));
    await writeFile(journal, bytes);

    const openKilled = () =>
      json.open(json.parse(''), { dataDir: killed, now: () => 1_700_000_000, overlap: 120, log });
    const after = await openKilled();
    expect(await after.subscriptions.current(user)).toEqual([A, B]);
    expect(await after.subscriptions.current(eve)).toEqual([A]);
    await after.subscriptions.apply(eve, 'phone', [{ url: B, subscribed: true }]);
    await after.close();
    const again = await openKilled();
    expect(await again.subscriptions.current(user)).toEqual([A, B]);
    expect(await again.subscriptions.current(eve)).toEqual([A, B]);
    await again.close();
    await rm(killed, { recursive: true });
  });

  it('refuses to start over a damaged line in the middle, and names it', async () => {
    const { journal, restore } = await kill();
    await restore();
    const text = await readFile(journal, 'utf8');
    await writeFile(journal, text.replace('example.org/b', 'example.org/x'));
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'corrupt' }));
    await expect(open()).rejects.toThrow(`${journal} is damaged in line 1`);
    await writeFile(journal, text);
    await (await open()).close();
  });

  it('that is gone, as it was empty, takes nothing of what comes later with it', async () => {
    const stopped = await find(dataDir, /journal/);
    expect((await stat(stopped)).size).toBe(0);
    await rm(stopped);
    const storage = await open();
    await subscribe(storage, B);
    await storage.users.create({ name: 'eve', passwordHash: 'x' });
    expect(await storage.subscriptions.current(user)).toEqual([A, B]);
    await storage.close();
    const again = await open();
    expect(await again.subscriptions.current(user)).toEqual([A, B]);
    expect((await again.users.find('eve'))?.name).toBe('eve');
    await again.close();
  });

  it('passes over what the snapshots have already', async () => {
    const storage = await open();
    const mark = await subscribe(storage, B);
    const journal = await find(dataDir, /journal/);
    const text = await readFile(journal, 'utf8');
    await storage.close();
    await writeFile(journal, text);
    const again = await open();
    expect((await again.subscriptions.since(user, 'phone', mark)).items).toEqual([]);
    expect(await again.subscriptions.current(user)).toEqual([A, B]);
    await again.close();
  });
});

describe('a damaged file', () => {
  it.each([/accounts\.json$/, /account\.json$/])('%s is told at the start, by name', async (pattern) => {
    const path = await find(dataDir, pattern);
    await truncate(path, (await stat(path)).size - 5);
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'corrupt' }));
    await expect(open()).rejects.toThrow(path);
  });

  it('of podcasts may be removed, as it says: their feeds are read again', async () => {
    const path = await find(dataDir, /podcasts.*\.json$/);
    await truncate(path, 10);
    await expect(open()).rejects.toThrow(`${path} is damaged; remove it to have its feeds read again`);
    await rm(path);
    const storage = await open();
    expect(await storage.podcasts.find([A])).toMatchObject([{ url: A, subscribers: 1 }]);
    expect(await storage.podcasts.claimDue(2, 60)).toMatchObject([{ url: A }]);
    await storage.close();
  });

  it('of episodes goes with the podcasts, as it says: their feeds are read again', async () => {
    const episode = { url: 'http://example.org/1.mp3', title: 'First', releasedAt: 1_600_000_000 };
    let storage = await open();
    await recordFeed(storage, A, { title: 'A' }, [episode]);
    await storage.close();
    const path = await find(dataDir, /episodes.*\.json$/);
    await truncate(path, 10);
    storage = await open();
    const podcasts = join(dataDir, 'podcasts');
    await expect(storage.podcasts.episodes(A, 10)).rejects.toThrow(
      `${path} cannot be read; stop the server and remove ${podcasts} to have all feeds read again`,
    );
    await storage.close();
    await rm(podcasts, { recursive: true });
    storage = await open();
    expect(await storage.podcasts.claimDue(2, 60)).toMatchObject([{ url: A }]);
    await recordFeed(storage, A, { title: 'A' }, [episode]);
    expect(await storage.podcasts.episodes(A, 10)).toMatchObject([{ title: 'First' }]);
    await storage.close();
  });

  it('of actions is told at the start, by name', async () => {
    const storage = await open();
    await storage.actions.append(user, [{ podcast: A, episode: B, action: 'new', timestamp: 1 }]);
    await storage.close();
    const path = await find(dataDir, /actions-000001\.json$/);
    await truncate(path, 10);
    await expect(open()).rejects.toThrow(path);
  });
});

describe('a file that is gone', () => {
  it.each([/accounts\.json$/, /account\.json$/])('%s is told at the start, and all else stays', async (pattern) => {
    const path = await find(dataDir, pattern);
    const content = await readFile(path);
    await rm(path);
    for (const _again of [1, 2]) {
      await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'corrupt' }));
      await expect(open()).rejects.toThrow(`${path} is missing`);
    }
    await writeFile(path, content);
    const storage = await open();
    expect(await storage.subscriptions.current(user)).toEqual([A]);
    await storage.close();
  });

  it('is not made up for by an older one: accounts that it does not know may be newer than it', async () => {
    const path = await find(dataDir, /accounts\.json$/);
    const older = await readFile(path);
    let storage = await open();
    const eve = await storage.users.create({ name: 'eve', passwordHash: 'x' });
    await storage.subscriptions.apply(eve.id, 'phone', [{ url: B, subscribed: true }]);
    await storage.close();
    const content = await readFile(path);

    await writeFile(path, older);
    for (const _again of [1, 2]) {
      await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'corrupt' }));
      await expect(open()).rejects.toThrow(`${path} is older than ${join(dataDir, 'users', eve.id)}`);
    }
    await writeFile(path, content);
    storage = await open();
    expect(await storage.subscriptions.current(eve.id)).toEqual([B]);
    await storage.close();
  });

  it('is told though the journal has what came after it', async () => {
    const { restore } = await kill();
    await restore();
    const path = await find(dataDir, /account\.json$/);
    await rm(path);
    await expect(open()).rejects.toThrow(`${path} is missing`);
  });

  it('is told of an account that had nothing yet, and of one whose whole folder is gone', async () => {
    let storage = await open();
    const { id } = await storage.users.create({ name: 'eve', passwordHash: 'x' });
    await storage.close();
    for (const lost of [id, user]) {
      const folder = join(dataDir, 'users', lost);
      await rename(folder, `${dataDir}-lost`);
      await expect(open()).rejects.toThrow(`${join(folder, 'account.json')} is missing`);
      await rename(`${dataDir}-lost`, folder);
    }
    storage = await open();
    expect(await storage.subscriptions.current(user)).toEqual([A]);
    await storage.close();
  });
});

describe('the folder', () => {
  /** As another process lays it; without a holder, it is none of ours. */
  const layLock = (holder?: { host?: string; pid: number; started: string }, name = `lock.${randomUUID()}`) =>
    writeFile(join(dataDir, name), holder ? JSON.stringify({ host: hostname(), ...holder }) : 'nonsense');
  const locks = async () => (await readdir(dataDir)).filter((name) => name.startsWith('lock'));

  it('of a version that knew no groups, settings and lists opens without any', async () => {
    const path = await find(dataDir, /account\.json$/);
    const { groups: _groups, settings: _settings, lists: _lists, ...older } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify(older));
    const storage = await open();
    expect(await storage.devices.groups(user)).toEqual([]);
    expect(await storage.settings.get(user, { kind: 'account' })).toEqual({});
    expect(await storage.lists.all(user)).toEqual([]);
    expect(await storage.subscriptions.current(user)).toEqual([A]);
    await storage.close();
  });

  it('is for its owner alone', async () => {
    const storage = await open();
    await subscribe(storage, B);
    for (const name of await readdir(dataDir, { recursive: true })) {
      const { mode } = await stat(join(dataDir, name));
      expect([name, mode & 0o077]).toEqual([name, 0]);
    }
    await storage.close();
  });

  it.each([
    ['', undefined],
    [', also after a kill', { pid: 2 ** 22 + 1, started: '' }],
  ])('goes to one of several who open it at once%s', async (_when, holder) => {
    for (let round = 0; round < 10; round += 1) {
      if (holder) await layLock(holder);
      const openings = await Promise.allSettled(Array.from({ length: 8 }, open));
      const opened = openings.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      const refusals = openings.flatMap((each) => (each.status === 'rejected' ? each.reason.code : []));
      expect([opened.length, refusals]).toEqual([1, Array.from({ length: 7 }, () => 'busy')]);
      await opened[0]!.close();
    }
    expect(await locks()).toEqual([]);
  });

  it('is refused while somebody has it, and says who', async () => {
    const storage = await open();
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'busy' }));
    await expect(open()).rejects.toThrow(`is in use by process ${process.pid}`);
    await storage.close();
    await (await open()).close();
  });

  it.each([
    ['a process that is gone', { pid: 2 ** 22 + 1, started: '' }],
    ['a process whose number another one has now', { pid: process.ppid, started: 'another boot 1' }],
    ['nobody', undefined],
  ])('is taken over from %s', async (_who, holder) => {
    await layLock(holder);
    await (await open()).close();
    expect(await locks()).toEqual([]);
  });

  it('is not taken over from a process that cannot tell when it started, as systemd hides that from it', async () => {
    await layLock({ pid: process.ppid, started: '' });
    await expect(open()).rejects.toThrow(`is in use by process ${process.ppid}`);
  });

  it("is taken over from an early podsync that is gone, and from none that is there: its lock's name was shorter", async () => {
    await layLock({ pid: 2 ** 22 + 1, started: '' }, 'lock');
    await (await open()).close();
    expect(await locks()).toEqual([]);
    await layLock({ pid: process.ppid, started: '' }, 'lock');
    await expect(open()).rejects.toThrow(`is in use by process ${process.ppid}`);
  });

  it('is not taken over from another machine', async () => {
    await layLock({ host: 'elsewhere.example', pid: 1, started: '' });
    await expect(open()).rejects.toThrow('is in use by process 1 on elsewhere.example');
  });

  it("that was empty when it was opened does not keep what a broken import left, but what is not podsync's", async () => {
    const fresh = await mkdtemp(join(tmpdir(), 'podsync-json-'));
    const openFresh = () => json.open(json.parse(''), { dataDir: fresh, now: () => 1_700_000_000, overlap: 120, log });
    await (await openFresh()).close();
    for (const name of [randomUUID(), 'lost+found']) await mkdir(join(fresh, 'users', name), { recursive: true });
    await (await openFresh()).close();
    expect(await readdir(join(fresh, 'users'))).toEqual(['lost+found']);
    await rm(fresh, { recursive: true });
  });

  it('does not keep what a removed account left', async () => {
    const storage = await open();
    await storage.users.delete(user);
    await storage.close();
    expect(await readdir(join(dataDir, 'users'))).toEqual([]);
    await appendFile(join(dataDir, 'stray'), 'x');
    await (await open()).close();
  });
});
