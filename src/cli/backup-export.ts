import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { pipeline as pass } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Config, UsageError } from '../config.ts';
import { BROKEN_OFF, openOperator, readReply } from './operator.ts';
import { createProgress } from './progress.ts';
import { watchSignals } from './signals.ts';
import { writeWhole } from './whole-file.ts';

interface BackupOptions {
  /** Names or e-mail addresses; none is everything. */
  users: readonly string[];
  /** With password hashes and sessions. */
  passwords: boolean;
  /** File, packed where its name ends in `.gz`; standard output unless given. */
  output?: string;
  /** Even one of everything that has no account. */
  evenEmpty?: boolean;
}

/**
 * `export --format backup`. Rejects when there is no such user, or none at all, the backup breaks off, or the file cannot
 * be written; then it is as it was.
 */
export async function exportBackup(config: Config, options: BackupOptions): Promise<void> {
  const { users, passwords, output, evenEmpty = false } = options;
  if (output === undefined && process.stdout.isTTY) {
    throw new UsageError('a backup cannot be printed on a terminal; name a file with -o');
  }
  const query = new URLSearchParams({ withoutPasswords: String(!passwords) });
  for (const user of users) query.append('user', user);
  const operator = await openOperator(config, { onlyReads: true });
  const signal = watchSignals();
  const bar = createProgress('writing accounts');
  try {
    await readReply(operator, ['GET', `/operator/backup?${query}`], async (body, headers) => {
      const total = Number(headers['podsync-accounts']);
      // Without a server, and without its --storage, this is another storage: its backup must not replace a good one.
      if (total === 0 && !evenEmpty) {
        body.destroy();
        throw new Error('there is no account to back up; look whether --data and --storage are those of the server');
      }
      const backup = requireEnd(body, signal, (done) => bar.show(done, total));
      if (output === undefined) await pass(backup, process.stdout, { end: false });
      else await writeWhole(output, output.endsWith('.gz') ? pack(backup) : backup);
    });
  } catch (error) {
    throw signal.aborted ? new Error('stopped: no backup was written', { cause: error }) : error;
  } finally {
    bar.stop();
    await operator.close();
  }
}

/** Bytes that hold the last line of a whole backup. */
const LAST_LINE = 4096;
/** What each account begins with. */
const ACCOUNT = '\n{"kind":"user"';

/** Passes a backup on, and tells of each account that begins. Throws where its last line does not say that it is whole. */
async function* requireEnd(
  backup: Readable,
  signal: AbortSignal,
  onAccount: (number: number) => void,
): AsyncGenerator<Buffer, void> {
  let tail = Buffer.alloc(0);
  let accounts = 0;
  try {
    // Not earlier: a stream that fails before anybody reads it ends the process.
    for await (const chunk of addAbortSignal(signal, backup)) {
      const seam = Buffer.concat([tail.subarray(1 - ACCOUNT.length), chunk]);
      for (let at = seam.indexOf(ACCOUNT); at !== -1; at = seam.indexOf(ACCOUNT, at + 1)) onAccount(accounts++);
      tail = Buffer.concat([tail, chunk]).subarray(-LAST_LINE);
      yield chunk;
    }
  } catch (error) {
    throw new Error(BROKEN_OFF, { cause: error });
  }
  const { kind, message } = parseLast(tail.toString());
  if (kind !== 'end') throw new Error(message ?? BROKEN_OFF);
}

function parseLast(text: string): { kind?: string; message?: string } {
  try {
    return JSON.parse(text.trimEnd().split('\n').at(-1)!) as { kind?: string; message?: string };
  } catch {
    return {};
  }
}

/** Either end that breaks ends the other. */
const pack = (backup: AsyncIterable<Buffer>): AsyncIterable<Buffer> => pipeline(backup, createGzip(), () => undefined);
