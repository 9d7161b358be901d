import { randomUUID } from 'node:crypto';
import { readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StorageError } from '../../src/plugin.ts';
import { FILE_MODE, toStorageError } from './durable-files.ts';

/*
 * Whoever opens a folder first lays a lock of its own in it, and only then looks for those of others: of two who do so,
 * whichever order their steps fall in, at least one sees the other. A lock has a name that comes only once, so that what
 * a killed process left can be removed by anybody at any time.
 */

/** Who holds a folder. A pid alone is not enough: it is given out again, and every container has a pid 1. */
interface Holder {
  host: string;
  pid: number;
  /** Boot and time in it at which the process started; empty where the system does not tell. */
  started: string;
}

/** Early podsyncs had the name alone. */
const LOCK = /^lock(?:\.[\da-f-]{36})?$/;

/** The locks of this very process. */
const held = new Set<string>();

/** For those who came at the same moment and give way. */
const LOOKS = 20;
/** Milliseconds. */
const BETWEEN_LOOKS = 10;

/**
 * Takes the folder for this process: two processes that write one journal would lose changes. Answers how to let go.
 * Rejects with `busy` when another process has it; what a killed process left is taken over.
 */
export async function takeLock(folder: string): Promise<() => Promise<void>> {
  const place = await realpath(folder);
  const own = join(place, `lock.${randomUUID()}`);
  const letGo = async (): Promise<void> => {
    if (held.delete(own)) await rm(own, { force: true });
  };
  try {
    await requireAlone(place, own); // first: on a full disk what is removed on the way is all the room there is
    held.add(own);
    await layLock(own);
    await requireAlone(place, own);
    return letGo;
  } catch (error) {
    await letGo().catch(() => undefined); // why there is no lock is told, not this
    throw toStorageError(error, folder);
  }
}

/** With its content at once, as others look into it. */
async function layLock(path: string): Promise<void> {
  const holder: Holder = { host: hostname(), pid: process.pid, started: await startOf(process.pid) };
  const unnamed = `${path}.new`;
  try {
    await writeFile(unnamed, JSON.stringify(holder), { mode: FILE_MODE });
    await rename(unnamed, path);
  } catch (error) {
    await rm(unnamed, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Rejects with `busy` where somebody else has a lock. Of several who come at once, the first by name waits for the others. */
async function requireAlone(place: string, own: string): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    const others = await locksOfOthers(place, own);
    const [first] = others;
    if (!first) return;
    if (looks === LOOKS || others.some(({ path }) => path < own)) throw busy(place, first);
    await setTimeout(BETWEEN_LOOKS);
  }
}

interface Lock {
  path: string;
  holder: Holder;
}

const busy = (place: string, { path, holder }: Lock): StorageError =>
  new StorageError(
    'busy',
    `${place} is in use by process ${holder.pid} on ${holder.host}; stop that one first (if it is surely gone, remove ${path})`,
  );

/** Removes those of processes that are gone. */
async function locksOfOthers(place: string, own: string): Promise<Lock[]> {
  const names = await readdir(place);
  const paths = names.filter((name) => LOCK.test(name)).map((name) => join(place, name));
  const locks: Lock[] = [];
  for (const path of paths.filter((each) => each !== own)) {
    const holder = await readHolder(path);
    if (holder && (held.has(path) || (await isAlive(holder)))) locks.push({ path, holder });
    else await rm(path, { force: true });
  }
  return locks;
}

/** Undefined where it is gone meanwhile, or nothing of ours: no process of podsync writes half a lock. */
async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
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
