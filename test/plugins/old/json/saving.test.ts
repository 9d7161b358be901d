import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import { Unsaved } from '../../../../plugins/old/json/unsaved.ts';
import type { Storage, UserId } from '../../../../src/old-plugin.ts';
import { recordFeed } from '../../../readings.ts';

/** Awaited before a snapshot is read or written. */
const gate = vi.hoisted(() => ({ pass: async (_path: string): Promise<void> => undefined }));
vi.mock(import('../../../../plugins/old/json/folder.ts'), async (original) => {
  const folder = await original();
  return {
    ...folder,
    writeDurably: async (path, text) => {
      await gate.pass(path);
      await folder.writeDurably(path, text);
    },
    replaceFile: async (path, text) => {
      await gate.pass(path);
      await folder.replaceFile(path, text);
    },
  };
});
vi.mock(import('../../../../plugins/old/json/snapshot.ts'), async (original) => {
  const snapshot = await original();
  return {
    ...snapshot,
    openSnapshot: async (path, ...rest) => {
      const opened = await snapshot.openSnapshot(path, ...rest);
      await gate.pass(path);
      return opened;
    },
  };
});

const A = 'http://example.org/a';
const B = 'http://example.org/b';
/** Twice as many as are in memory at most: whoever asks for them all, in turn, has all else forgotten. */
const OTHERS = 200;

let dataDir: string;
let storage: Storage;
let user: UserId;
let others: UserId[];
let warnings: string[];

const open = (): Promise<Storage> =>
  json.open(json.parse(''), {
    dataDir,
    now: () => 1_700_000_000,
    overlap: 120,
    log: (_level, message) => void warnings.push(message),
  });
const subscribe = (url: string): Promise<number> =>
  storage.subscriptions.apply(user, 'phone', [{ url, subscribed: true }]);
const askForOthers = async (): Promise<void> => {
  for (const other of others) await storage.subscriptions.current(other);
};

const journals = async (): Promise<string[]> => (await readdir(dataDir)).filter((name) => name.startsWith('journal-'));

/** Leaves the folder as a process does that is killed now. */
async function kill(): Promise<void> {
  const killed = `${dataDir}-killed`;
  await cp(dataDir, killed, { recursive: true });
  await storage.close();
  await rm(dataDir, { recursive: true });
  dataDir = killed;
}

/** Resolves when the account's own file is to be read or written; that waits for `open`. */
function hold(): { reached: Promise<void>; open(): void } {
  let reach!: () => void;
  let open!: () => void;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  gate.pass = async (path) => {
    if (path !== join(dataDir, 'users', user, 'account.json')) return;
    reach();
    await opened;
  };
  return { reached, open };
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-saving-'));
  warnings = [];
  storage = await open();
  ({ id: user } = await storage.users.create({ name: 'bob', passwordHash: 'x' }));
  others = [];
  for (let n = 0; n < OTHERS; n += 1) {
    others.push((await storage.users.create({ name: `other${n}`, passwordHash: 'x' })).id);
  }
  await subscribe(A);
  await storage.close();
  storage = await open();
});
afterEach(async () => {
  gate.pass = async () => undefined;
  await storage.close();
  await rm(dataDir, { recursive: true });
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('an account is not forgotten while its snapshot is being written', async () => {
  await subscribe(B);
  const snapshot = hold();
  vi.runAllTimers();
  await snapshot.reached;
  await askForOthers();
  gate.pass = async () => undefined;
  expect(await storage.subscriptions.current(user)).toEqual([A, B]);
  snapshot.open();
  await storage.close();
  storage = await open();
  expect(await storage.subscriptions.current(user)).toEqual([A, B]);
});

it('snapshots that cannot be written are tried again, without a new journal each time', async () => {
  await subscribe(B);
  gate.pass = () => Promise.reject(new Error('no room'));
  for (let trial = 1; trial <= 4; trial += 1) {
    vi.runAllTimers();
    while (warnings.length < trial) await setImmediate();
  }
  expect(await journals()).toHaveLength(2); // what is to be saved, and the one begun for what comes after it
});

it.each([
  /\/accounts\.json$/,
  /\/account\.json$/,
  /\/actions-\d+\.json$/,
  /\/podcasts\/\d+\.json$/,
  /\/directory\.json$/,
])('a file that could not be written is written before the journal goes: %s', async (file) => {
  const save = vi.spyOn(Unsaved.prototype, 'save');
  const fold = async (): Promise<void> => {
    vi.runAllTimers();
    await save.mock.results.at(-1)!.value;
  };
  await subscribe(B);
  await recordFeed(storage, A, { tags: ['NEWS'] });
  await recordFeed(storage, B, { title: 'Read', tags: ['News'] });
  await recordFeed(storage, A, { tags: [] });
  await storage.actions.append(user, [{ podcast: B, episode: B, action: 'new', timestamp: 1_600_000_000 }]);
  await storage.users.create({ name: 'late', passwordHash: 'x' });
  gate.pass = async (path) => {
    if (file.test(path)) throw new Error('no room');
  };
  await fold();
  expect(warnings).toEqual([expect.stringContaining('snapshots are late')]);
  gate.pass = async () => undefined;
  await fold();
  expect(await journals()).toHaveLength(1); // the one that was begun for what comes next

  await kill();
  storage = await open();
  expect(await storage.subscriptions.current(user)).toEqual([A, B]);
  expect(await storage.podcasts.find([B])).toMatchObject([{ title: 'Read' }]);
  expect(await storage.podcasts.topTags(1)).toMatchObject([{ title: 'NEWS' }]); // as first written
  expect(await storage.users.find('late')).toBeDefined();
  const stored = [];
  for await (const page of (await storage.actions.query(user, {})).pages) stored.push(...page);
  expect(stored).toMatchObject([{ episode: B }]);
});

it('an account that is removed while its snapshot is being written leaves nothing', async () => {
  await subscribe(B);
  const snapshot = hold();
  vi.runAllTimers();
  await snapshot.reached;
  const removed = storage.users.delete(user);
  while (await storage.users.find('bob')) await setImmediate();
  snapshot.open();
  await removed;
  await storage.close();
  expect(await readdir(join(dataDir, 'users'))).not.toContain(user);
  expect(warnings).toEqual([]);
});

it('an account that is removed while it is being read counts no more', async () => {
  await askForOthers();
  const snapshot = hold();
  const reading = storage.subscriptions.current(user);
  await snapshot.reached;
  await storage.users.delete(user);
  snapshot.open();
  await expect(reading).rejects.toThrow(expect.objectContaining({ code: 'missing' }));
  expect(await storage.podcasts.find([A])).toMatchObject([{ subscribers: 0 }]);
});

it('the journal is not folded before all of it is read: what is still to come would be lost in a crash', async () => {
  await subscribe(B);
  await kill();
  const save = vi.spyOn(Unsaved.prototype, 'save');
  const snapshot = hold();
  const opening = open();
  await snapshot.reached;
  vi.runAllTimers();
  expect(save).not.toHaveBeenCalled();
  snapshot.open();
  storage = await opening;
  expect(await storage.subscriptions.current(user)).toEqual([A, B]);
});

it('the next start has no journal to read, also where all that is in it was saved already', async () => {
  await subscribe(B);
  await storage.actions.append(others[0]!, [{ podcast: B, episode: B, action: 'new', timestamp: 1_600_000_000 }]);
  const snapshot = hold();
  vi.runAllTimers();
  await snapshot.reached;
  await storage.actions.append(others[0]!, [{ podcast: B, episode: A, action: 'new', timestamp: 1_600_000_001 }]);
  snapshot.open(); // whose turn it is after this, now with both
  await storage.close();
  const [journal, ...rest] = await journals();
  expect(rest).toEqual([]);
  expect((await stat(join(dataDir, journal!))).size).toBe(0);
  storage = await open();
});

it('nothing is written once the storage is closed, as the folder may belong to another process then', async () => {
  const closed = storage.close();
  const late = storage.sessions.save({ digest: 'digest', user, expiresAt: 1_800_000_000 });
  await Promise.all([closed, late]);
  const save = vi.spyOn(Unsaved.prototype, 'save');
  vi.runAllTimers();
  expect(save).not.toHaveBeenCalled();
  storage = await open();
  expect((await storage.sessions.find('digest'))?.user.id).toBe(user);
});

it('what changes while a snapshot takes long is saved half a minute after it, whether that one failed or not', async () => {
  for (const problem of [undefined, new Error('no room')]) {
    let finish!: () => void;
    let saves = 0;
    const part = {
      save: () =>
        new Promise<void>((resolve, reject) => {
          saves += 1;
          finish = () => (problem && saves === 1 ? reject(problem) : resolve());
        }),
    };
    const journal = { size: 1, rotate: async () => undefined, removeOlder: async () => undefined };
    const unsaved = new Unsaved('/folder', journal, () => undefined);
    const change = async (): Promise<void> => {
      unsaved.add(part);
      unsaved.saveLater();
      vi.advanceTimersByTime(31_000);
      await setImmediate();
    };
    await change();
    await change(); // while that is being saved
    expect(saves).toBe(1);
    finish();
    await setImmediate();
    vi.advanceTimersByTime(31_000);
    await setImmediate();
    expect(saves).toBe(2);
    finish();
  }
});
