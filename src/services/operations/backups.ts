import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { TEMPORARY, writeAtomically } from '../../atomic-file.ts';
import type { Clock } from '../../clock.ts';
import type { Seconds } from '../../domain/types.ts';
import { createFolder } from '../../durable-files.ts';
import { readBackup } from '../../formats/backup/read.ts';
import type { BackupRules } from '../../options.ts';
import type { Log } from '../../storage/stores.ts';
import type { Transfer } from '../transfer/transfer.ts';
import { createSchedule, type Schedule } from './schedule.ts';

/** The scheduled backups of a server. */
export interface Backups extends Schedule {
  /** Writes a backup if one is due. Never rejects: failures are logged. */
  runIfDue(): Promise<void>;
  status(): BackupStatus;
  /** Seconds since the newest good one was started; undefined if there is none. */
  age(): Seconds | undefined;
}

interface BackupStatus {
  /** When the newest good one was started; undefined if there is none, or it is not known yet. */
  writtenAt: Seconds | undefined;
  /** Its size, if this process has written it. */
  bytes: number | undefined;
  /** Since the start of the process. */
  failures: number;
}

interface BackupOptions {
  rules: BackupRules;
  now: Clock;
  log: Log;
}

/** How often to check whether a backup is due. Milliseconds. */
const CHECK_INTERVAL = 60_000;
/** A failed backup is tried again after this, or earlier if they are more frequent. */
const RETRY_AFTER: Seconds = 3600;

const ADVICE = 'free some space, check its permissions, or choose another folder with --backup-folder';

/**
 * A backup is due by the time in the name of the newest one, so restarts neither skip nor repeat one. A file takes its
 * name only when it has been read back completely.
 */
export function createBackups(transfer: Pick<Transfer, 'export'>, { rules, now, log }: BackupOptions): Backups {
  const { folder, every, keep } = rules;
  const stopping = new AbortController();
  const { signal } = stopping;
  const status: BackupStatus = { writtenAt: undefined, bytes: undefined, failures: 0 };
  let retryAt: Seconds = 0;

  const write = async (): Promise<void> => {
    const startedAt = now();
    const { accounts, text } = await transfer.export({ users: [], passwords: true });
    if (accounts === 0) return; // an empty backup must not replace a good one
    const content = pipeline(untilAborted(text, signal), createGzip(), () => undefined);
    const path = join(folder, toName(startedAt));
    const { bytes } = await writeAtomically(path, content, { advice: ADVICE, verify: (file) => verify(file, signal) });
    Object.assign(status, { writtenAt: startedAt, bytes });
  };

  const runIfDue = async (): Promise<void> => {
    if (now() < retryAt || signal.aborted) return;
    try {
      const [newest] = await inFolder(folder, openFolder(folder, now()));
      status.writtenAt = newest?.writtenAt;
      if (status.writtenAt !== undefined && now() < status.writtenAt + every) return;
      await write();
      await inFolder(folder, removeOld(folder, keep, now()));
    } catch (error) {
      if (signal.aborted) return;
      status.failures += 1;
      retryAt = now() + Math.min(RETRY_AFTER, every);
      log('error', `the scheduled backup failed and will be tried again: ${(error as Error).message}`);
    }
  };

  const { start, stop } = createSchedule(runIfDue, CHECK_INTERVAL);
  return {
    start,
    stop() {
      stopping.abort();
      return stop();
    },
    runIfDue,
    status: () => status,
    age: () => (status.writtenAt === undefined ? undefined : now() - status.writtenAt),
  };
}

/** `podsync-2026-11-25T20-15-30Z.ndjson.gz`: Windows allows no colons. */
const toName = (time: Seconds): string =>
  `podsync-${new Date(time * 1000).toISOString().slice(0, 19).replaceAll(':', '-')}Z.ndjson.gz`;

const NAME = /^podsync-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.ndjson\.gz$/;
/** What a crash may leave. */
const UNFINISHED = new RegExp(`${NAME.source.slice(0, -1)}\\..+\\${TEMPORARY}$`);

interface BackupFile {
  name: string;
  writtenAt: Seconds;
}

/** The backups in a folder, newest first. Those of the future do not count: the clock was wrong then. */
async function findBackups(folder: string, now: Seconds): Promise<BackupFile[]> {
  return (await readdir(folder))
    .flatMap((name): BackupFile[] => {
      const [, date, ...time] = NAME.exec(name) ?? [];
      return date === undefined ? [] : [{ name, writtenAt: Date.parse(`${date}T${time.join(':')}Z`) / 1000 }];
    })
    .filter(({ writtenAt }) => writtenAt <= now)
    .toSorted((a, b) => b.writtenAt - a.writtenAt);
}

/** Creates the folder if it does not exist, and removes what a crash left. Returns its backups, newest first. */
async function openFolder(folder: string, now: Seconds): Promise<BackupFile[]> {
  await createFolder(folder);
  for (const name of await readdir(folder)) if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true });
  return findBackups(folder, now);
}

async function removeOld(folder: string, keep: number, now: Seconds): Promise<void> {
  for (const { name } of (await findBackups(folder, now)).slice(keep)) await rm(join(folder, name), { force: true });
}

/** Work in the folder. If it fails, rejects with what to do. */
const inFolder = <T>(folder: string, work: Promise<T>): Promise<T> =>
  work.catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${folder} cannot be used (${error.code}); ${ADVICE}`, { cause: error });
  });

async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}

/** Reads a whole backup as an import does. */
async function verify(path: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const _page of untilAborted(readBackup(createReadStream(path)), signal));
  } catch (error) {
    throw new Error(
      `the new file cannot be read back (${(error as Error).message}); check the disk of the folder, or choose another one with --backup-folder`,
      { cause: error },
    );
  }
}
