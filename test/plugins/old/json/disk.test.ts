import { cp, type FileHandle, mkdtemp, open as openFile, readdir, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import json from '../../../../plugins/old/json/index.ts';
import { type Storage, StorageError, type UserId } from '../../../../src/old-plugin.ts';

/** Whether no folder can be removed. */
const disk = vi.hoisted(() => ({ keepsFolders: false }));
vi.mock(import('../../../../plugins/old/json/folder.ts'), async (original) => {
  const folder = await original();
  return {
    ...folder,
    remove: async (path) => {
      if (disk.keepsFolders) throw new StorageError('unavailable', `${path} could not be used (EIO)`);
      await folder.remove(path);
    },
  };
});

let dataDir: string;
let storage: Storage;
let bob: UserId;
let warnings: string[];

const open = (folder = dataDir): Promise<Storage> =>
  json.open(json.parse(''), {
    dataDir: folder,
    now: () => 1_700_000_000,
    overlap: 120,
    log: (_level, message) => void warnings.push(message),
  });

beforeEach(async () => {
  warnings = [];
  dataDir = await mkdtemp(join(tmpdir(), 'podsync-json-'));
  storage = await open();
  bob = (await storage.users.create({ name: 'bob', passwordHash: 'x' })).id;
});
afterEach(async () => {
  vi.restoreAllMocks();
  disk.keepsFolders = false;
  await storage.close();
  await rm(dataDir, { recursive: true });
  await rm(`${dataDir}-killed`, { recursive: true, force: true });
});

const add = (url: string) => storage.subscriptions.apply(bob, 'phone', [{ url, subscribed: true }]);

/** What Node says when the system answers a call with this error. */
const failure = (code: string, errno: number): Error => Object.assign(new Error(`${code}: write`), { code, errno });

/** What all files have in common. */
async function filePrototype(): Promise<FileHandle> {
  const file = await openFile(dataDir);
  await file.close();
  return Object.getPrototypeOf(file) as FileHandle;
}

/** The next call of any file fails. */
async function failOnce(call: 'write' | 'datasync' | 'truncate', error: Error): Promise<void> {
  vi.spyOn(await filePrototype(), call).mockRejectedValueOnce(error);
}

/** The folder as a process leaves it that is killed now, opened. */
async function openKilled(): Promise<Storage> {
  const killed = `${dataDir}-killed`;
  await cp(dataDir, killed, { recursive: true });
  return open(killed);
}

it.each([
  ['a full disk', failure('ENOSPC', -28)],
  ['a quota that is used up', failure(`Unknown system error -${constants.errno.EDQUOT}`, -constants.errno.EDQUOT)],
])('%s is told as that, and passes', async (_, error) => {
  await failOnce('write', error);
  await expect(add('http://example.org/a')).rejects.toMatchObject({ code: 'full' });
  await add('http://example.org/b');
  expect(await storage.subscriptions.current(bob)).toEqual(['http://example.org/b']);
});

it('a full disk that takes a part of a change keeps nothing of it, and all that comes later', async () => {
  const files = await filePrototype();
  const { write } = files;
  const writePart = function (this: FileHandle, bytes: Uint8Array) {
    return Reflect.apply(write, this, [bytes, 0, 20]);
  };
  const writing = vi.spyOn(files, 'write').mockImplementationOnce(writePart as FileHandle['write']);
  writing.mockRejectedValueOnce(failure('ENOSPC', -28));
  await expect(add('http://example.org/a')).rejects.toMatchObject({ code: 'full' });
  await add('http://example.org/b');
  const after = await openKilled();
  expect(await after.subscriptions.current(bob)).toEqual(['http://example.org/b']);
  await after.close();
});

it('a full disk that may keep what it was to forget is told as one to start podsync again for', async () => {
  await failOnce('write', failure('ENOSPC', -28));
  await failOnce('datasync', failure('EIO', -5));
  const refusal = { code: 'unavailable', message: expect.stringMatching(/no room.*then start podsync again/) };
  await expect(add('http://example.org/a')).rejects.toMatchObject(refusal);
  await expect(add('http://example.org/b')).rejects.toMatchObject(refusal);
});

it('an account that a full disk has no room for leaves nothing, and can be made later', async () => {
  await failOnce('write', failure('ENOSPC', -28));
  const make = () => storage.users.create({ name: 'eve', passwordHash: 'x' });
  await expect(make()).rejects.toMatchObject({ code: 'full' });
  expect(await readdir(join(dataDir, 'users'))).toEqual([bob]);
  const { id } = await make();
  expect((await readdir(join(dataDir, 'users'))).toSorted()).toEqual([bob, id].toSorted());
});

it('an account that is removed is gone, though its files are there until the next start', async () => {
  disk.keepsFolders = true;
  await storage.users.delete(bob);
  expect(await storage.users.find('bob')).toBeUndefined();
  expect(warnings).toEqual([expect.stringMatching(/EIO.*removed at the next start/)]);
  disk.keepsFolders = false;
  const after = await openKilled();
  await after.close();
  expect(await readdir(join(`${dataDir}-killed`, 'users'))).toEqual([]);
});

it('a full disk is told as that where it keeps the files of the account, too', async () => {
  await failOnce('write', failure('ENOSPC', -28));
  disk.keepsFolders = true;
  await expect(storage.users.create({ name: 'eve', passwordHash: 'x' })).rejects.toMatchObject({ code: 'full' });
  expect(warnings).toEqual([expect.stringContaining('at the next start')]);
});

it('an account that a failing disk may have kept is whole after a restart', async () => {
  await failOnce('datasync', failure('EIO', -5));
  await failOnce('truncate', failure('EIO', -5));
  const making = storage.users.create({ name: 'eve', passwordHash: 'x' });
  await expect(making).rejects.toMatchObject({ code: 'unavailable' });
  const after = await openKilled();
  const { id } = (await after.users.find('eve'))!;
  await after.subscriptions.apply(id, 'phone', [{ url: 'http://example.org/a', subscribed: true }]);
  expect(await after.subscriptions.current(id)).toEqual(['http://example.org/a']);
  await after.close();
});

it.each(['write', 'datasync'] as const)('a disk that fails at a %s is trusted again after a restart', async (call) => {
  await add('http://example.org/a');
  await failOnce(call, failure('EIO', -5));
  const refusal = { code: 'unavailable', message: expect.stringMatching(/EIO.*then start podsync again/) };
  await expect(add('http://example.org/b')).rejects.toMatchObject(refusal);
  await expect(add('http://example.org/c')).rejects.toMatchObject(refusal);
  await storage.close();
  storage = await open();
  expect(await storage.subscriptions.current(bob)).toEqual(['http://example.org/a']);
  await add('http://example.org/d');
});

it('what a failing disk may have kept reaches every device after a restart: no mark is told until then', async () => {
  await add('http://example.org/a');
  const { mark } = await storage.subscriptions.since(bob, 'phone', 0);
  await failOnce('datasync', failure('EIO', -5));
  await failOnce('truncate', failure('EIO', -5));
  await expect(add('http://example.org/b')).rejects.toMatchObject({ code: 'unavailable' });

  const refusal = { code: 'unavailable', message: expect.stringContaining('start podsync again') };
  for (const answer of [
    () => storage.subscriptions.since(bob, 'phone', mark),
    () => storage.subscriptions.apply(bob, 'phone', []),
    () => storage.actions.query(bob, {}),
    () => storage.actions.append(bob, []),
    () => storage.devices.synchronize(bob, [], []),
    () => storage.podcasts.episodesSince(['http://example.org/a'], 0, 10),
    () => storage.ping(),
  ]) {
    await expect(answer(), String(answer)).rejects.toMatchObject(refusal);
  }
  expect(await storage.subscriptions.current(bob)).toEqual(['http://example.org/a']);

  const after = await openKilled();
  const { items } = await after.subscriptions.since(bob, 'phone', mark);
  expect(items).toEqual([{ url: 'http://example.org/b', subscribed: true }]);
  await after.close();
});
