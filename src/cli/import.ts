import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { countOf } from '../domain/count.ts';
import type { RestoreReport } from '../routes/operator/backup.ts';
import { cannotRead } from './files.ts';
import { commandLine, quote } from './invocation.ts';
import { openOperator, type Operator, send } from './operator.ts';
import { type Cell, messages, printResult, toTable } from './output.ts';
import { createProgress } from './progress.ts';
import { watchSignals } from './signals.ts';

interface ImportBackupOptions {
  /** Another name for the one account of the backup. */
  as?: string;
  dryRun?: boolean;
  json?: boolean;
}

/**
 * `import`: reads the whole backup before anything is changed, then reads it again to import it. Rejects if it cannot be
 * used, or if accounts were skipped.
 */
export async function importBackup(config: Config, path: string, options: ImportBackupOptions): Promise<void> {
  const { as, dryRun = false, json = false } = options;
  const file = await openFile(path);
  const operator = await openOperator(config, { mayBeNew: !dryRun, readOnly: dryRun });
  const signal = watchSignals();
  const backup = { file, operator, signal, as };
  let isBegun = false;
  let report: RestoreReport;
  try {
    report = await upload(backup, true);
    const isWanted = report.podcasts > 0 || report.accounts.some(({ problem }) => problem === null);
    if (isWanted && !dryRun) {
      signal.throwIfAborted();
      isBegun = true;
      report = await upload(backup, false);
    }
  } catch (error) {
    if (!signal.aborted && !isBegun) throw error;
    const why = signal.aborted ? 'stopped' : (error as Error).message;
    const left = isBegun
      ? 'complete accounts were imported, and running the command again imports the others'
      : 'nothing was changed';
    throw new Error(`${why}: ${left}`, { cause: error });
  } finally {
    await operator.close();
    await file.close();
  }
  printResult(report, json, () => toText(report, dryRun));
  reportProblems(report, config, dryRun);
}

async function openFile(path: string): Promise<FileHandle> {
  const notFile = (): Error =>
    new Error(`${path} cannot be imported: it must be a file, because a backup is read twice`);
  if (path === '-') throw notFile();
  const file = await open(path).catch((error) => {
    throw cannotRead(path, error);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw notFile();
}

interface Backup {
  file: FileHandle;
  operator: Operator;
  signal: AbortSignal;
  as: string | undefined;
}

/** Sends the whole file, with a progress bar. */
async function upload({ file, operator, signal, as }: Backup, dryRun: boolean): Promise<RestoreReport> {
  const query = new URLSearchParams({ dryRun: String(dryRun), ...(as !== undefined && { as }) });
  const bar = createProgress(dryRun ? 'checking, in kB' : 'importing, in kB');
  const { size } = await file.stat();
  const step = (done: number): void => {
    signal.throwIfAborted();
    bar.show(toKilobytes(done), toKilobytes(size));
  };
  const body = Readable.from(watch(file.createReadStream({ start: 0, autoClose: false }), step), { objectMode: false });
  try {
    return (await send(operator, 'POST', `/operator/backup?${query}`, body)) as RestoreReport;
  } finally {
    body.destroy();
    bar.stop();
  }
}

const toKilobytes = (bytes: number): number => Math.ceil(bytes / 1000);

async function* watch(bytes: AsyncIterable<Buffer>, step: (done: number) => void): AsyncIterable<Buffer> {
  let done = 0;
  for await (const chunk of bytes) {
    step(done);
    yield chunk;
    done += chunk.length;
  }
}

function toText({ accounts, podcasts, episodes }: RestoreReport, dryRun: boolean): string {
  const done = dryRun ? 'can be imported' : 'imported';
  const toResult = (problem: string | null): Cell =>
    problem === null ? [done, 'green'] : [`skipped: ${problem}`, 'red'];
  return (
    toTable(
      accounts.map(({ name, devices, subscriptions, actions, lists, problem }) => [
        name,
        devices,
        subscriptions,
        actions,
        lists,
        toResult(problem),
      ]),
      ['NAME', 'DEVICES', 'SUBSCRIPTIONS', 'ACTIONS', 'LISTS', 'RESULT'],
    ) + (podcasts > 0 ? `directory: ${countOf(podcasts, 'podcast')}, ${countOf(episodes, 'episode')}\n` : '')
  );
}

/** Prints warnings. Throws if accounts were skipped. */
function reportProblems({ accounts, inFuture }: RestoreReport, config: Config, dryRun: boolean): void {
  if (inFuture !== undefined) {
    const [have, were] = inFuture === 1 ? ['has a time', 'was'] : ['have times', 'were'];
    messages.warn(
      `${countOf(inFuture, 'line')} of the backup ${have} more than a day in the future, which ${dryRun ? 'would be' : were} set back; check the clock of this machine`,
    );
  }
  const imported = accounts.filter(({ problem }) => problem === null);
  const locked = imported.find(({ password }) => !password);
  if (locked && !dryRun) {
    const command = commandLine(`user passwd ${quote(locked.name)}`, config);
    messages.warn(`The backup contains no passwords. Before users can log in, set one for each account: ${command}`);
  }
  const [first, ...others] = accounts.filter(({ problem }) => problem !== null);
  if (!first) return;
  throw new Error(
    others.length === 0
      ? `account ${first.name} was skipped: ${first.problem}`
      : `${others.length + 1} accounts were skipped, for the reasons above`,
  );
}
