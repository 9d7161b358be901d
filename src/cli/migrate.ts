import { join } from 'node:path';
import { openClock } from '../clock.ts';
import { type Config, UsageError } from '../config.ts';
import { migrate } from '../services/transfer/migration.ts';
import type { RecordCounts } from '../services/transfer/record-counter.ts';
import { isStorageError } from '../storage/errors.ts';
import { parseStorageSpec, redactLocation } from '../storage/location.ts';
import { areNested } from '../storage/nested-folders.ts';
import { openStorage } from '../storage/open.ts';
import type { Storage } from '../storage/stores.ts';
import { findControlSocket } from './control-path.ts';
import { limitHeapGrowth } from './heap.ts';
import { log, messages, printResult, toFacts } from './output.ts';
import { createProgress } from './progress.ts';
import { openDataFolderOrAsk, requireOwnFolder, requireStorage, storagePath } from './settings/data-folder.ts';
import { requireRecordedSource, writeStorageRecord } from './settings/storage-record.ts';
import { watchSignals } from './signals.ts';

interface MigrateOptions {
  /** As with `--storage`. May contain a password. */
  from: string;
  to: string;
  json?: boolean;
}

/** `migrate`. Rejects if it fails; the target is then unchanged. */
export async function migrateStorage(config: Config, { from, to, json }: MigrateOptions): Promise<void> {
  if (!from || !to) throw new UsageError('--from and --to must each name a storage, such as json or sqlite:podsync.db');
  if (from === to) throw new UsageError('--from and --to name the same storage');
  requireNotNested(config.data, from, to);
  await requireStorage({ data: config.data, storage: from }, '--from');
  await openDataFolderOrAsk(config.data);
  await requireOwnFolder(config.data);
  if ((await findControlSocket(config.data)) !== undefined) {
    throw new Error(
      `a server is running on ${config.data}; stop it first, or apps would continue to write to the old storage`,
    );
  }
  await requireRecordedSource({ data: config.data, storage: from });
  const now = openClock(join(config.data, 'clock'), (message) => messages.warn(message));
  const context = { dataDir: config.data, now, overlap: config.syncOverlap, log };
  const open = (spec: string): Promise<Storage> => openStorage(spec, process.cwd(), context);
  const openTarget = (source: Storage): Promise<Storage> =>
    open(to).catch(async (error: unknown) => {
      // If the target can be opened after the source is closed, both are the same storage.
      if (!isStorageError(error, 'busy')) throw error;
      await source.close();
      const target = await open(to).catch(() => Promise.reject(error));
      await target.close();
      throw new UsageError('--from and --to name the same storage');
    });
  limitHeapGrowth();
  const signal = watchSignals();
  const bar = createProgress('copying, then comparing');
  const copy = async (): Promise<RecordCounts> =>
    use(await open(from), async (source) =>
      use(await openTarget(source), (target) => migrate(source, target, { progress: bar.show, signal })),
    );
  const counts = await copy()
    .catch((error: unknown) => {
      throw signal.aborted ? new Error('stopped: the target is empty again', { cause: error }) : error;
    })
    .finally(() => bar.stop());
  await writeStorageRecord({ data: config.data, storage: to });
  printResult(counts, json, () => toFacts(Object.entries(counts)));
  messages.success(`Copied everything to ${redactLocation(to)}. This data folder uses it from now on.`);
  if (redactLocation(to) !== to) {
    messages.info(
      'podsync does not store its password: set it in --storage, PODSYNC_STORAGE or a config file as before',
    );
  }
}

/** Throws if one of these is a JSON storage in the other, which would read its files as its own. */
function requireNotNested(data: string, from: string, to: string): void {
  const storages = [from, to];
  if (!storages.every((storage) => parseStorageSpec(storage).plugin === 'json')) return;
  const [source, target] = storages.map((storage) => storagePath({ data, storage })!);
  if (!areNested(source!, target!)) return;
  throw new UsageError(
    '--from and --to: one storage would be in a folder of the other, which treats all files in its folders users, episodes and other as its own; choose another folder',
  );
}

async function use<T>(storage: Storage, act: (storage: Storage) => Promise<T>): Promise<T> {
  try {
    return await act(storage);
  } finally {
    await storage.close();
  }
}
