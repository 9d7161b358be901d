import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { countOf } from '../domain/count.ts';
import type { RestoreReport } from '../routes/operator/backup.ts';
import { commandLine, quote } from './invocation.ts';
import { ask, openOperator, type Operator } from './operator.ts';
import { createProgress } from './progress.ts';
import { printResult } from './result.ts';
import { watchSignals } from './signals.ts';
import { toTable } from './table.ts';
import { unreadable } from './unreadable.ts';
import { words } from './words.ts';

interface ImportBackupOptions {
  /** Another name for the one account of the backup. */
  as?: string;
  dryRun?: boolean;
  json?: boolean;
}

/**
 * `import`: reads all of a backup before anything is changed, and then once more. Rejects where it cannot be used, and
 * where accounts were left out.
 */
export async function importBackup(config: Config, path: string, options: ImportBackupOptions): Promise<void> {
  const { as, dryRun = false, json = false } = options;
  const file = await openFile(path);
  const operator = await openOperator(config, { mayBeNew: true });
  const signal = watchSignals();
  const backup = { file, operator, signal, as };
  let isBegun = false;
  let report: RestoreReport;
  try {
    report = await send(backup, true);
    const isWanted = report.podcasts > 0 || report.accounts.some(({ problem }) => problem === null);
    if (isWanted && !dryRun) {
      signal.throwIfAborted();
      isBegun = true;
      report = await send(backup, false);
    }
  } catch (error) {
    if (!signal.aborted && !isBegun) throw error;
    const why = signal.aborted ? 'stopped' : (error as Error).message;
    const left = isBegun
      ? 'accounts that were complete by then are there, and the same command once more imports the others'
      : 'nothing was changed';
    throw new Error(`${why}: ${left}`, { cause: error });
  } finally {
    await operator.close();
    await file.close();
  }
  printResult(report, json, () => toText(report, dryRun));
  tell(report, config, dryRun);
}

async function openFile(path: string): Promise<FileHandle> {
  const unfit = (): Error => new Error(`${path} cannot be imported: a backup is read twice, and must be a file`);
  if (path === '-') throw unfit();
  const file = await open(path).catch((error) => {
    throw unreadable(path, error);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw unfit();
}

interface Backup {
  file: FileHandle;
  operator: Operator;
  signal: AbortSignal;
  as: string | undefined;
}

/** Sends the whole file, with a progress bar. */
async function send({ file, operator, signal, as }: Backup, dryRun: boolean): Promise<RestoreReport> {
  const query = new URLSearchParams({ dryRun: String(dryRun), ...(as !== undefined && { as }) });
  const bar = createProgress(dryRun ? 'checking kB' : 'importing kB');
  const { size } = await file.stat();
  const step = (done: number): void => {
    signal.throwIfAborted();
    bar.show(toKilobytes(done), toKilobytes(size));
  };
  const body = Readable.from(watch(file.createReadStream({ start: 0, autoClose: false }), step), { objectMode: false });
  try {
    return (await ask(operator, 'POST', `/operator/backup?${query}`, body)) as RestoreReport;
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
  return (
    toTable([
      ['NAME', 'DEVICES', 'SUBSCRIPTIONS', 'ACTIONS', 'LISTS', ''],
      ...accounts.map((each) => [
        each.name,
        each.devices,
        each.subscriptions,
        each.actions,
        each.lists,
        each.problem === null ? done : `left out: ${each.problem}`,
      ]),
    ]) + (podcasts > 0 ? `directory: ${countOf(podcasts, 'podcast')}, ${countOf(episodes, 'episode')}\n` : '')
  );
}

/** Says what is left to do. Throws where accounts were left out. */
function tell({ accounts, inFuture }: RestoreReport, config: Config, dryRun: boolean): void {
  if (inFuture !== undefined) {
    words.warn(
      `${countOf(inFuture, 'line')} of the backup ${inFuture === 1 ? 'has a time' : 'have times'} more than a day in the future, which ${dryRun ? 'would be' : 'were'} set back: is the clock of this machine right?`,
    );
  }
  const imported = accounts.filter(({ problem }) => problem === null);
  const locked = imported.find(({ password }) => !password);
  if (locked && !dryRun) {
    const command = commandLine(`user passwd ${quote(locked.name)}`, config);
    words.warn(`there are no passwords in this backup: nobody can log in until each has one, as with: ${command}`);
  }
  const [first, ...others] = accounts.filter(({ problem }) => problem !== null);
  if (!first) return;
  throw new Error(
    others.length === 0
      ? `the account ${first.name} was left out: ${first.problem}`
      : `${others.length + 1} accounts were left out; the list above says why`,
  );
}
