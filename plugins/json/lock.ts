import { randomUUID } from 'node:crypto';
import { link, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { StorageError } from '../../src/plugin.ts';
import { FILE_MODE, toStorageError } from './folder.ts';

/** Who holds a folder. A pid alone is not enough: it is given out again, and every container has a pid 1. */
interface Holder {
  host: string;
  pid: number;
  /** Boot and time in it at which the process started; empty where the system does not tell. */
  started: string;
}

/** The locks that this very process holds. */
const held = new Set<string>();

/**
 * Takes the folder for this process: two processes that write one journal would lose changes. Answers how to let go.
 * Rejects with `busy` when another process has it; what a killed process left is taken over.
 */
export async function takeLock(folder: string): Promise<() => Promise<void>> {
  const path = join(await realpath(folder), 'lock');
  const own = `${path}.${randomUUID()}`;
  const holder: Holder = { host: hostname(), pid: process.pid, started: await startOf(process.pid) };
  try {
    await removeStale(path, folder); // first: on a full disk what it leaves is all the room there is
    await writeFile(own, JSON.stringify(holder), { mode: FILE_MODE });
    // A link takes the name or fails. It is never half there, as a file that is being written would be.
    while (!(await tryLink(own, path))) await removeStale(path, folder);
    held.add(path); // at once: to another who opens it in this process the holder is one that had its number before
  } catch (error) {
    throw toStorageError(error, folder);
  } finally {
    await rm(own, { force: true }).catch(() => undefined); // why there is no lock is told, not this
  }
  return async () => {
    if (held.delete(path)) await rm(path, { force: true });
  };
}

async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a process that is gone. Rejects with `busy` when it is not. */
async function removeStale(path: string, folder: string): Promise<void> {
  const text = await readIfThere(path);
  if (text === undefined) return;
  const holder = parseHolder(text);
  if (held.has(path) || (holder && (await isAlive(holder)))) {
    const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
    throw new StorageError(
      'busy',
      `${folder} is in use by ${who}; stop that one first (if it is surely gone, remove ${path})`,
    );
  }
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside).catch(() => undefined);
  // Somebody quicker may have taken over between the look and the rename: then it goes back.
  const taken = await readIfThere(aside);
  if (taken !== undefined && taken !== text) await tryLink(aside, path);
  await rm(aside, { force: true });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined; // nothing of ours: no process of podsync writes half a lock
  }
}

async function isAlive({ host, pid, started }: Holder): Promise<boolean> {
  if (host !== hostname()) return true; // cannot be seen from here
  if (pid === process.pid) return false; // it had the number that is ours now
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const seen = await startOf(pid);
  return started === '' || seen === '' || started === seen; // one of the two may be shut off from what tells it
}

async function startOf(pid: number): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const status = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may hold blanks; the start is the 20th field after it.
    return `${boot.trim()} ${status.slice(status.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}
