import { join } from 'node:path';
import { openClock } from '../clock.ts';
import { type Config, UsageError } from '../config.ts';
import { migrate } from '../services/migration.ts';
import type { Counts } from '../services/transfer-tally.ts';
import type { Storage } from '../storage/stores.ts';
import { isStorageError } from '../storage/errors.ts';
import { redactLocation } from '../storage/location.ts';
import { openStorage } from '../storage/open.ts';
import { findControlSocket } from './control-place.ts';
import { openDataFolderOrAsk, requireOwnFolder } from './data-folder.ts';
import { createProgress } from './progress.ts';
import { printResult } from './result.ts';
import { watchSignals } from './signals.ts';
import { requireStorage } from './storage-place.ts';
import { toTable } from './table.ts';
import { log, words } from './words.ts';

interface MigrateOptions {
  /** Storage plugin and place, as with `--storage`. May hold a password. */
  from: string;
  to: string;
  json?: boolean;
}

/** `migrate`. Rejects where anything goes wrong; then the target is as it was. */
export async function migrateStorage(config: Config, { from, to, json }: MigrateOptions): Promise<void> {
  if (!from || !to) throw new UsageError('--from and --to must each name a storage, such as json or sqlite:podsync.db');
  if (from === to) throw new UsageError('--from and --to name the same storage');
  await requireStorage({ data: config.data, storage: from });
  await openDataFolderOrAsk(config.data);
  await requireOwnFolder(config.data);
  if ((await findControlSocket(config.data)) !== undefined) {
    throw new Error(`a server runs on ${config.data}; stop it first, as apps would go on to write to the old storage`);
  }
  const now = openClock(join(config.data, 'clock'), (message) => words.warn(message));
  const context = { dataDir: config.data, now, overlap: config.syncOverlap, log };
  const open = (spec: string): Promise<Storage> => openStorage(spec, process.cwd(), context);
  const openTarget = (source: Storage): Promise<Storage> =>
    open(to).catch(async (error: unknown) => {
      // If the target opens once the source is closed, both names mean the same storage.
      if (!isStorageError(error, 'busy')) throw error;
      await source.close();
      const target = await open(to).catch(() => Promise.reject(error));
      await target.close();
      throw new UsageError('--from and --to name the same storage');
    });
  const signal = watchSignals();
  const bar = createProgress('copying and comparing accounts');
  const copy = async (): Promise<Counts> =>
    use(await open(from), async (source) =>
      use(await openTarget(source), (target) => migrate(source, target, { progress: bar.show, signal })),
    );
  const counts = await copy()
    .catch((error: unknown) => {
      throw signal.aborted ? new Error('stopped: the target is empty again', { cause: error }) : error;
    })
    .finally(() => bar.stop());
  printResult(counts, json, () => toTable(Object.entries(counts)));
  words.success(`all of it is in ${redactLocation(to)} now; use that with --storage from now on`);
}

async function use<T>(storage: Storage, act: (storage: Storage) => Promise<T>): Promise<T> {
  try {
    return await act(storage);
  } finally {
    await storage.close();
  }
}
