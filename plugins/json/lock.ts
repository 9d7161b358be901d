import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FILE_MODE, replaceFile, StorageError } from '../../src/plugin.ts';
import { toStorageError } from './file-operations.ts';

/*
 * Each process first writes its own lock file, and only then looks for others: of two concurrent processes at least one
 * sees the other. Lock file names are never reused, so that of a killed process can be removed safely at any time.
 *
 * A process listens on a socket beside its lock file for as long as it lives. The kernel closes the socket with the
 * process, so all processes on this kernel can find out whether it lives, in other containers, too: there, host names
 * and pids say nothing.
 */

/** The process that locks a folder. A pid alone is not enough: pids are reused, and every container has a pid 1. */
interface Holder {
  host: string;
  pid: number;
  /** Boot id and start time of the process; empty if the system does not provide them. */
  started: string;
}

const LOCK = /^lock\.[\da-f-]{36}$/;
const SOCKET = /^lock\.[\da-f-]{36}\.sock$/;
const socketOf = (lock: string): string => `${lock}.sock`;
/** Bytes. Node silently cuts longer paths of sockets. */
const LONGEST_PATH = 103;

const heldHere = new Set<string>();

/** Retries if other processes start at the same moment. The delay is in milliseconds. */
const ATTEMPTS = 20;
const ATTEMPT_DELAY = 10;

export interface Lock {
  /** Whether the lock file is still there: not if the folder, or a link to it, was replaced or moved meanwhile. */
  isHeld(): boolean;
  release(): Promise<void>;
}

/**
 * Locks the folder for this process: two processes writing to one log would lose commits. Rejects with `busy` if another
 * process has it; the lock of a killed process is removed.
 */
export async function takeLock(folder: string): Promise<Lock> {
  const path = await realpath(folder);
  const own = join(path, `lock.${randomUUID()}`);
  let socket: Server | undefined;
  const release = async (): Promise<void> => {
    if (heldHere.delete(own)) await rm(own, { force: true });
    socket?.close(); // removes it
  };
  try {
    await requireUnlocked(path, own); // first: on a full disk, removing an old lock file may be needed to write a new one
    heldHere.add(own);
    socket = await listen(socketOf(own));
    const holder: Holder = { host: hostname(), pid: process.pid, started: await startOf(process.pid) };
    await replaceFile(own, `${own}.new`, (file) => file.writeFile(JSON.stringify(holder)));
    await requireUnlocked(path, own);
    return { isHeld: () => existsSync(join(folder, basename(own))), release };
  } catch (error) {
    await release().catch(() => undefined); // the first error matters
    throw toStorageError(error, folder);
  }
}

/** Undefined if the path is too long, or the file system has no sockets. */
async function listen(path: string): Promise<Server | undefined> {
  if (Buffer.byteLength(path) > LONGEST_PATH) return undefined;
  const server = createServer((connection) => connection.destroy());
  try {
    server.listen(path).unref();
    await once(server, 'listening');
    await chmod(path, FILE_MODE);
    return server;
  } catch {
    return undefined;
  }
}

/** Among processes that start at once, the one with the first file name waits for the others to give up. */
async function requireUnlocked(folder: string, own: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const others = await otherLocks(folder, own);
    if (!others[0]) return;
    const [path, { pid, host }] = others[0];
    if (attempt === ATTEMPTS || others.some(([other]) => other < own)) {
      const message = `${folder} is in use by process ${pid} on ${host}; stop that process first`;
      throw new StorageError('busy', `${message} (if it is certainly not running, remove ${path})`);
    }
    await setTimeout(ATTEMPT_DELAY);
  }
}

/** Locks of other running processes. Removes stale ones, and sockets that a killed process left without its lock. */
async function otherLocks(folder: string, own: string): Promise<[path: string, holder: Holder][]> {
  const locks: [string, Holder][] = [];
  const names = await readdir(folder);
  for (const name of names) {
    const path = join(folder, name);
    const isOrphan = SOCKET.test(name) && !names.includes(name.slice(0, -'.sock'.length));
    // One that is listening belongs to a process that has not written its lock yet.
    if (isOrphan && !(await isListening(path))) await rm(path, { force: true });
    if (!LOCK.test(name) || path === own) continue;
    const holder = await readHolder(path);
    if (holder && (heldHere.has(path) || (await isAlive(path, holder)))) locks.push([path, holder]);
    else await Promise.all([path, socketOf(path)].map((stale) => rm(stale, { force: true })));
  }
  return locks;
}

/** Undefined if it was removed meanwhile, or was not written by podsync. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function isAlive(path: string, { host, pid, started }: Holder): Promise<boolean> {
  const own = await startOf(process.pid);
  const isSameKernel = started !== '' && bootOf(started) === bootOf(own);
  if (isSameKernel && existsSync(socketOf(path))) return isListening(socketOf(path));
  if (host !== hostname()) return true; // cannot be checked from here
  if (pid === process.pid) return false; // an earlier process with the same pid
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const seen = await startOf(pid);
  return started === '' || seen === '' || started === seen; // the system may hide it from one of the two processes
}

const isListening = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = connect(path, () => {
      connection.destroy();
      resolve(true);
    });
    connection.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });

const bootOf = (started: string): string => started.split(' ')[0]!;

async function startOf(pid: number): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const status = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may contain spaces; the start time is the 20th field after it.
    return `${boot.trim()} ${status.slice(status.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}
