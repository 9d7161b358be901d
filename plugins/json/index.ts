import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Batch, definePlugin, type KeyValueStore, type Log, type Version } from '../../src/plugin.ts';
import { createCheckpoint } from './checkpoint.ts';
import { createFolder, toStorageError } from './file-operations.ts';
import { FileSource, openFiles } from './files.ts';
import { Groups, type Source } from './groups.ts';
import { listFiles } from './layout.ts';
import { type Lock, takeLock } from './lock.ts';
import { openLog } from './write-ahead-log.ts';

/** JSON files in a folder: `json` for podsync's data folder, `json:FOLDER` for another one. */
export default definePlugin({
  name: 'json',
  contract: 1,
  parse: (location) => ({ folder: location }),
  open: ({ folder }, { dataDir, log }) => openStore(resolve(dataDir, folder), log),
});

/**
 * Opens the store in a folder. Rejects with `busy` if another process has it open, and with `corrupt` if its
 * write-ahead log is damaged; other damage is detected when a file is read.
 */
async function openStore(folder: string, report: Log): Promise<KeyValueStore> {
  await createFolder(folder);
  const lock = await takeLock(folder);
  try {
    return await createStore(folder, report, lock);
  } catch (error) {
    await lock.release();
    throw toStorageError(error, folder);
  }
}

async function createStore(folder: string, report: Log, lock: Lock): Promise<KeyValueStore> {
  const found = await listFiles(folder);
  const groups = new Groups(found);
  const files = openFiles(folder);
  const log = await openLog(folder, found.length === 0, groups, lock);
  const checkpoint = createCheckpoint(groups, files, log, report);
  void checkpoint.run(); // until it is done, the older logs have all changes

  /** Reads synchronously, once everything is in memory. */
  const read = async <T>(step: (source: Source) => T): Promise<T> => {
    if (log.isBusy) await setImmediate(); // reads from memory in a loop must not delay commits
    const source = new FileSource(files);
    for (;;) {
      while (groups.applying) await groups.applying;
      const found = step(source);
      if (source.missing === 0) return found;
      await source.load();
    }
  };

  const commit = async (batch: Batch): Promise<Version | undefined> => {
    if (checkpoint.isBehind) await checkpoint.run();
    const source = new FileSource(files);
    for (;;) {
      const committed = await log.commit(batch, source);
      checkpoint.schedule();
      if (committed) return committed.version;
      await source.load();
    }
  };

  return {
    isShared: false,
    get: (keys) => read((source) => keys.map((key) => groups.find(key, source))),
    list: (range) => read((source) => groups.list(range, source)),
    commit,
    ping: async () => log.requireWritable(),
    async verify() {
      for (const part of groups.parts()) await files.read(part);
      await log.verify();
    },
    async close() {
      await checkpoint.close();
      await log.close();
      await lock.release();
    },
  };
}
