import { resolve } from 'node:path';
import { definePlugin, type KeyValueStore, StorageError } from '../../src/plugin.ts';
import { pack } from './packed-batch.ts';
import { type Operation, sqliteThread } from './thread.ts';

/** One SQLite file: `sqlite:FILE`, relative to podsync's data folder; `sqlite` alone is `podsync.sqlite` there. */
export default definePlugin({
  name: 'sqlite',
  contract: 1,
  parse: (location) => ({ file: location === '' ? 'podsync.sqlite' : location }),
  open: ({ file }, { dataDir }) => openStore(resolve(dataDir, file)),
});

/** Concurrent requests to the thread: while it runs one, the next is being sent. */
const REQUESTS = 2;

/** An operation that waits to be sent or for its result. */
interface Call {
  operation: Operation;
  resolve(value: any): void;
  reject(error: StorageError): void;
}

let opened = 0;

/**
 * Opens a file in the worker thread. Calls in the same turn of the event loop, and calls while the thread is busy, are
 * sent as one message: a message costs more than most calls, and commits in one message share a transaction. Rejects as
 * `openDatabase` does.
 */
async function openStore(path: string): Promise<KeyValueStore> {
  const store = ++opened;
  let waiting: Call[] = [];
  let requests = 0;

  const send = async (): Promise<void> => {
    if (requests === REQUESTS || waiting.length === 0) return;
    const calls = waiting;
    waiting = [];
    requests += 1;
    try {
      const results = await sqliteThread.run({ store, path, operations: calls.map(({ operation }) => operation) });
      for (const [n, { resolve, reject }] of calls.entries()) {
        const result = results[n]!;
        if ('value' in result) resolve(result.value);
        else reject(new StorageError(result.code, result.message));
      }
    } catch (error) {
      const message = `the SQLite storage was interrupted (${(error as Error).message}); try again`;
      for (const { reject } of calls) reject(new StorageError('unavailable', message));
    }
    requests -= 1;
    void send();
  };
  const call = <T>(operation: Operation): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (waiting.push({ operation, resolve, reject }) === 1) setImmediate(send);
    });

  await call({ kind: 'ping', args: [] });
  return {
    isShared: false,
    get: (keys) => call({ kind: 'get', args: [keys] }),
    list: (range) => call({ kind: 'list', args: [range] }),
    commit: async (batch) => call({ kind: 'commit', batch: await pack(batch) }),
    ping: () => call({ kind: 'ping', args: [] }),
    verify: () => call({ kind: 'verify', args: [] }),
    close: () => call({ kind: 'close', args: [] }),
  };
}
