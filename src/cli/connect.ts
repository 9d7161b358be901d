import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Podsync, PodsyncOptions, PodsyncParts } from '../podsync.ts';
import { isStorageError } from '../storage/errors.ts';
import { findControlSocket } from './control-path.ts';
import { requireOwnFolder } from './settings/data-folder.ts';
import { requirePassword, requireRecordedStorage, writeStorageRecord } from './settings/storage-record.ts';

/** How long to wait for another command to finish. Milliseconds. */
const BUSY_TIMEOUT = 10_000;
const RETRY_INTERVAL = 100;

/** podsync in this process, or the path of the control socket of the server that runs on its data folder. */
type Connection = { podsync: Podsync } | { socket: string };

interface ConnectOptions extends PodsyncParts {
  /** Milliseconds. */
  timeout?: number;
  /** Whether the storage may differ from that of the data folder: see `requireRecordedStorage`. */
  readOnly?: boolean;
}

/**
 * Opens podsync, unless a server runs on its data folder, and records the storage in that folder. If the storage is busy
 * without a server, another command is running or a server is starting: waits for it, up to `timeout` milliseconds.
 * Rejects like `openPodsync`, or if the data folder is used with another storage.
 */
export async function connect(
  options: PodsyncOptions & Pick<Config, 'storage'>,
  { timeout = BUSY_TIMEOUT, readOnly = false, ...parts }: ConnectOptions = {},
): Promise<Connection> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const socket = await findControlSocket(options.data);
    if (socket !== undefined) return { socket };
    await requireOwnFolder(options.data);
    if (!readOnly) await requireRecordedStorage(options);
    requirePassword(options.storage);
    try {
      const { openPodsync } = await import('../podsync.ts');
      const podsync = await openPodsync(options, parts);
      if (!readOnly) await recordStorage(options, podsync);
      return { podsync };
    } catch (error) {
      if (!isStorageError(error, 'busy') || performance.now() >= deadline) throw error;
    }
    await setTimeout(RETRY_INTERVAL);
  }
}

/** Checks the record again: another command, with another storage, may have begun to use a new folder meanwhile. */
async function recordStorage(options: PodsyncOptions & Pick<Config, 'storage'>, podsync: Podsync): Promise<void> {
  try {
    await requireRecordedStorage(options);
  } catch (error) {
    await podsync.close().catch(() => undefined); // report the first error
    throw error;
  }
  // podsync starts even with a full disk: stored data can still be read.
  await writeStorageRecord(options).catch(({ message }: Error) => options.log('warn', message));
}
