import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open as openFile,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer, Socket } from 'node:net';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import json from '../../../plugins/json/index.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';
import { makeFolder } from '../../folder.ts';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

let dataDir: string;
const open = (): Promise<KeyValueStore> => json.open(json.parse(''), { dataDir, log: () => undefined });
/** A lock file of another process; without a holder, of another program. */
async function writeLock(holder?: { host?: string; pid: number; started: string }): Promise<string> {
  const path = join(dataDir, `lock.${randomUUID()}`);
  await writeFile(path, holder ? JSON.stringify({ host: hostname(), ...holder }) : 'nonsense');
  return path;
}
const locks = async (): Promise<string[]> => (await readdir(dataDir)).filter((name) => name.startsWith('lock'));

beforeEach(async () => {
  dataDir = await makeFolder();
});
afterEach(() => {
  vi.restoreAllMocks();
});

it('a folder is refused while it is open, and the message names the process', async () => {
  const store = await open();
  const message = expect.stringContaining(
    `is in use by process ${process.pid} on ${hostname()}; stop that process first`,
  );
  await expect(open()).rejects.toMatchObject({ code: 'busy', message });
  await store.close();
  await (await open()).close();
  expect(await locks()).toEqual([]);
});

it.each([
  ['', undefined],
  [', also after a kill', { pid: 2 ** 22 + 1, started: '' }],
])('of several stores that open one folder at once, one succeeds%s', async (_when, holder) => {
  for (let round = 0; round < 10; round += 1) {
    if (holder) await writeLock(holder);
    const openings = await Promise.allSettled(Array.from({ length: 8 }, open));
    const opened = openings.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const refusals = openings.flatMap((each) => (each.status === 'rejected' ? each.reason.code : []));
    expect([opened.length, refusals]).toEqual([1, Array.from({ length: 7 }, () => 'busy')]);
    await opened[0]!.close();
  }
  expect(await locks()).toEqual([]);
});

it.each([
  ['a process that has ended', { pid: 2 ** 22 + 1, started: '' }],
  ['a process whose number another one has now', { pid: process.ppid, started: 'another boot 1' }],
  ['an earlier process with the number of this one, as in a container', { pid: process.pid, started: '' }],
  ['nobody', undefined],
])('a folder is taken over from %s', async (_by, holder) => {
  await writeLock(holder);
  await (await open()).close();
  expect(await locks()).toEqual([]);
});

it('a folder on a full disk is taken over if the lock of a killed process is all that can be removed', async () => {
  const lock = await writeLock({ pid: 2 ** 22 + 1, started: '' });
  const file = await openFile(lock);
  const { writeFile: write } = Object.getPrototypeOf(file) as FileHandle;
  await file.close();
  vi.spyOn(Object.getPrototypeOf(file) as FileHandle, 'writeFile').mockImplementation(function (
    this: FileHandle,
    data,
  ) {
    if (existsSync(lock)) throw Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' });
    return Reflect.apply(write, this, [data]);
  });
  await (await open()).close();
});

it('a folder whose path is too long for a socket is refused while it is open, and has no socket elsewhere', async () => {
  dataDir = join(dataDir, 'x'.repeat(100));
  const store = await open();
  await expect(open()).rejects.toMatchObject({ code: 'busy' });
  expect(await readdir(dirname(dataDir))).toEqual([basename(dataDir)]);
  await store.close();
});

it('the socket of a process that was killed before it wrote its lock, or after it removed it, is removed', async () => {
  const socket = join(dataDir, `lock.${randomUUID()}.sock`);
  const listen = `require('net').createServer().listen('${socket}', () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', listen]);
  expect(await locks()).toHaveLength(1);
  await (await open()).close();
  expect(await locks()).toEqual([]);
});

it('the socket of a process that has not written its lock yet is kept', async () => {
  const starting = createServer().listen(join(dataDir, `lock.${randomUUID()}.sock`));
  await once(starting, 'listening');
  await (await open()).close();
  expect(await locks()).toHaveLength(1);
  starting.close();
});

it('a folder is not taken over from a process without a known start time, as under systemd', async () => {
  await writeLock({ pid: process.ppid, started: '' });
  await expect(open()).rejects.toThrow(`is in use by process ${process.ppid}`);
});

it('a folder is not taken over from a process of another user, which the system may hide', async () => {
  await writeLock({ pid: 2 ** 22 + 1, started: 'another boot 1' });
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  await expect(open()).rejects.toMatchObject({ code: 'busy' });
});

describe.skipIf(!existsSync(BOOT_ID))('in containers, which share a kernel but not their pids and host names,', () => {
  let started: string;
  beforeEach(async () => {
    started = `${(await readFile(BOOT_ID, 'utf8')).trim()} 1`;
  });

  it('a folder is taken over from a process that was killed', async () => {
    const lock = await writeLock({ host: 'another', pid: 1, started });
    const listen = `require('net').createServer().listen('${lock}.sock', () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', listen]);
    expect((await locks()).length).toBe(2);
    await (await open()).close();
    expect(await locks()).toEqual([]);
  });

  it.each([
    ['another host name', () => ({ host: 'another', pid: 2 ** 22 + 1, started })],
    ['the same host name and pid', () => ({ pid: process.pid, started })],
  ])('a folder is not taken over from a process with %s', async (_what, holder) => {
    const lock = await writeLock(holder());
    const server = createServer().listen(`${lock}.sock`);
    await once(server, 'listening');
    await expect(open()).rejects.toMatchObject({ code: 'busy' });
    server.close();
  });

  it('a folder is not taken over from a process of another user', async () => {
    const lock = await writeLock({ host: 'another', pid: 1, started });
    await writeFile(`${lock}.sock`, '');
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket) {
      return this.destroy(Object.assign(new Error('connect EACCES'), { code: 'EACCES' }));
    });
    await expect(open()).rejects.toMatchObject({ code: 'busy' });
  });
});

it('a folder is not taken over from another machine', async () => {
  const pid = 2 ** 22 + 1;
  await writeLock({ host: 'elsewhere.example', pid, started: '' });
  await expect(open()).rejects.toThrow(`is in use by process ${pid} on elsewhere.example`);
});

/** A store with a change that is not in its files yet, whose folder was replaced by an empty one. */
async function openReplaced(): Promise<KeyValueStore> {
  const store = await open();
  await store.commit({ set: [['u/alice/head', '1']] });
  await rename(dataDir, `${dataDir}-old`);
  onTestFinished(() => rm(`${dataDir}-old`, { recursive: true }));
  await mkdir(dataDir);
  return store;
}

it('a folder that is replaced while it is open is not written to', async () => {
  const store = await openReplaced();
  await writeFile(join(dataDir, 'file of another folder'), '');
  await expect(store.ping()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('replaced'),
  });
  await expect(store.commit({ set: [['u/bob/head', '1']] })).rejects.toMatchObject({ code: 'unavailable' });
  await store.close();
  expect(await readdir(dataDir)).toEqual(['file of another folder']);
});

it('a commit is refused as soon as the folder was replaced: the old one may be a forgotten copy', async () => {
  const store = await openReplaced();
  const refusal = { code: 'unavailable', message: expect.stringContaining('was replaced, moved or unlocked') };
  await expect(store.commit({ set: [['u/bob/head', '1']] })).rejects.toMatchObject(refusal);
  expect(await store.get(['u/bob/head'])).toEqual([undefined]);
  await store.close();
  expect(await readdir(dataDir)).toEqual([]);
});

it('a commit is refused as soon as the folder was replaced through a link to it', async () => {
  const [before, after] = [await makeFolder(), await makeFolder()];
  dataDir = join(dataDir, 'link');
  await symlink(before, dataDir);
  const store = await open();
  await rm(dataDir);
  await symlink(after, dataDir);
  await expect(store.commit({ set: [['u/bob/head', '1']] })).rejects.toMatchObject({ code: 'unavailable' });
  await store.close();
  expect(await readdir(after)).toEqual([]);
});

it('a checkpoint does not write to a folder that was replaced', async () => {
  const store = await openReplaced();
  await store.close();
  expect(await readdir(dataDir)).toEqual([]);
});
