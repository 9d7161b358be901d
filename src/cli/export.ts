import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline as pipe } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { writeAtomically } from '../atomic-file.ts';
import { type Config, UsageError } from '../config.ts';
import { countOf } from '../domain/count.ts';
import { accountPath, INCOMPLETE, openOperator, readReply, withOperator } from './operator.ts';
import { formatSize, messages } from './output.ts';
import { createProgress } from './progress.ts';
import { watchSignals } from './signals.ts';

interface ExportOptions {
  user?: readonly string[];
  device?: string;
  format: 'opml' | 'json' | 'txt' | 'backup';
  /** File, or `-` for standard output. */
  output: string;
  passwords: boolean;
}

const ADVICE = 'choose another path with -o, or - for standard output';

/** `export`. Rejects like `exportBackup`, or if the device does not exist. */
export async function exportData(config: Config, options: ExportOptions): Promise<void> {
  const { user: users = [], device, format, output, passwords } = options;
  if (format === 'backup') {
    if (device !== undefined) throw new UsageError('--device is only for subscriptions; a backup has whole accounts');
    return exportBackup(config, { users, passwords, output });
  }
  const [user] = users;
  if (user === undefined) throw new UsageError("required option '--user <user>' not specified");
  if (users.length > 1) throw new UsageError('only a backup can be of several accounts; give --user once');
  if (!passwords) throw new UsageError('--no-passwords is only for --format backup; subscriptions contain none');
  const query = new URLSearchParams({ format, ...(device !== undefined && { device }) });
  const path = accountPath(user, `/subscriptions?${query}`);
  const list = await withOperator(config, (operator) => readReply(operator, ['GET', path], text), { readOnly: true });
  if (output === '-') return void process.stdout.write(list);
  const { bytes } = await writeAtomically(output, list, { advice: ADVICE });
  messages.success(`Wrote the subscriptions of ${user} to ${output} (${formatSize(bytes)})`);
}

interface BackupOptions {
  /** Names or e-mail addresses; everything if there are none. */
  users: readonly string[];
  /** Whether to include password hashes, app passwords and sessions. */
  passwords: boolean;
  /** File, compressed if its name ends in `.gz`, or `-` for standard output. */
  output: string;
  /** Whether a backup of everything may contain no account. */
  mayBeEmpty?: boolean;
}

/**
 * `export --format backup`. Rejects if the user does not exist, if there is no account, if the backup is incomplete,
 * or if the file cannot be written, which is then unchanged.
 */
export async function exportBackup(config: Config, options: BackupOptions): Promise<void> {
  const { users, passwords, output, mayBeEmpty = false } = options;
  if (output === '-' && process.stdout.isTTY) {
    throw new UsageError('a backup cannot be printed on a terminal; name a file with -o');
  }
  const query = new URLSearchParams({ withoutPasswords: String(!passwords) });
  for (const user of users) query.append('user', user);
  const operator = await openOperator(config, { readOnly: true });
  const signal = watchSignals();
  const bar = createProgress('exporting accounts');
  try {
    await readReply(operator, ['GET', `/operator/backup?${query}`], async (body, headers) => {
      const total = Number(headers['podsync-accounts']);
      // Without the --storage of a server this may be another storage: its backup must not replace a good one.
      if (total === 0 && !mayBeEmpty) {
        body.destroy();
        throw new Error('there is no account to back up; check --data and --storage');
      }
      const backup = requireEnd(body, signal, (done, records) => bar.show(done, total, records));
      if (output === '-') return pipe(backup, process.stdout, { end: false });
      const content = output.endsWith('.gz') ? compress(backup) : backup;
      const { bytes } = await writeAtomically(output, content, { advice: ADVICE });
      bar.stop();
      messages.success(`Wrote a backup of ${countOf(total, 'account')} to ${output} (${formatSize(bytes)})`);
    });
  } catch (error) {
    throw signal.aborted ? new Error('stopped: no backup was written', { cause: error }) : error;
  } finally {
    bar.stop();
    await operator.close();
  }
}

/** Bytes that contain the last line of a complete backup. */
const LAST_LINE = 4096;
const NEWLINE = '\n'.charCodeAt(0);
/** The start of each account. */
const ACCOUNT = '\n{"kind":"user"';

/** The same chunks; reports the progress. Throws unless the last line marks the end of the backup. */
async function* requireEnd(
  backup: Readable,
  signal: AbortSignal,
  progress: (accounts: number, records: number) => void,
): AsyncGenerator<Buffer, void> {
  let tail = Buffer.alloc(0);
  let accounts = 0;
  let records = 0;
  try {
    // Only now, because a stream that fails before it is read would end the process.
    for await (const chunk of addAbortSignal(signal, backup)) {
      const seam = Buffer.concat([tail.subarray(1 - ACCOUNT.length), chunk]);
      for (let at = seam.indexOf(ACCOUNT); at !== -1; at = seam.indexOf(ACCOUNT, at + 1)) accounts += 1;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) records += 1;
      progress(Math.max(0, accounts - 1), records);
      tail = Buffer.concat([tail, chunk]).subarray(-LAST_LINE);
      yield chunk;
    }
  } catch (error) {
    throw new Error(INCOMPLETE, { cause: error });
  }
  const { kind, message } = parseLast(tail.toString());
  if (kind !== 'end') throw new Error(message ?? INCOMPLETE);
}

function parseLast(lines: string): { kind?: string; message?: string } {
  try {
    return JSON.parse(lines.trimEnd().split('\n').at(-1)!) as { kind?: string; message?: string };
  } catch {
    return {};
  }
}

/** If one side fails, the other is closed. */
const compress = (backup: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
  pipeline(backup, createGzip(), () => undefined);
