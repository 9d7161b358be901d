import { resolve } from 'node:path';
import {
  type Batch,
  definePlugin,
  type KeyValueStore,
  packBatch,
  StorageError,
  type Version,
} from '../../src/plugin.ts';
import type { Result } from './database.ts';
import { buffersIn, type Operation, reader, writer } from './thread.ts';

/** One SQLite file: `sqlite:FILE`, relative to podsync's data folder; `sqlite` alone is `podsync.sqlite` there. */
export default definePlugin({
  name: 'sqlite',
  contract: 1,
  parse: (location) => ({ file: location === '' ? 'podsync.sqlite' : location }),
  open: ({ file }, { dataDir }) => openStore(resolve(dataDir, file)),
});

/** Concurrent requests to a thread: while it runs one, the next is being sent. */
const REQUESTS = 2;

/** An operation that waits to be sent or for its result. */
interface Call {
  operation: Operation;
  resolve(value: any): void;
  reject(error: StorageError): void;
}

let opened = 0;

/** Opens a file in two threads: reads do not wait for commits. Rejects as `openDatabase` does. */
async function openStore(path: string): Promise<KeyValueStore> {
  const store = ++opened;
  const write = createQueue((operations) => writer.run({ store, path, operations }, undefined, buffersIn(operations)));
  const read = createQueue((operations) => reader.run({ store, path, operations }));
  /** The last commit was rejected. Only the writer makes sure before a read that it will not be stored after all. */
  let isUnsure = false;

  const readSurely = <T>(operation: Operation): Promise<T> => (isUnsure ? write : read)(operation);
  const commit = async (batch: Batch): Promise<Version | undefined> => {
    try {
      const version = await write<Version | undefined>({ kind: 'commit', batch: await packBatch(batch) });
      isUnsure = false;
      return version;
    } catch (error) {
      isUnsure = true;
      throw error;
    }
  };

  await write({ kind: 'ping', args: [] });
  return {
    isShared: false,
    get: (keys) => readSurely({ kind: 'get', args: [keys] }),
    list: (range) => readSurely({ kind: 'list', args: [range] }),
    commit,
    ping: () => readSurely({ kind: 'ping', args: [] }),
    verify: () => write({ kind: 'verify', args: [] }),
    async close() {
      await read({ kind: 'close', args: [] });
      await write({ kind: 'close', args: [] }); // the last connection removes the log
    },
  };
}

/**
 * Sends calls to a thread. Those in the same turn of the event loop, and those while the thread is busy, are sent as one
 * message: a message costs more than most calls, and commits in one message share a transaction.
 */
function createQueue(run: (operations: Operation[]) => Promise<Result[]>) {
  let waiting: Call[] = [];
  let requests = 0;

  const send = async (): Promise<void> => {
    if (requests === REQUESTS || waiting.length === 0) return;
    const calls = waiting;
    waiting = [];
    requests += 1;
    const results = await run(calls.map(({ operation }) => operation)).catch(({ message: cause }: Error) => {
      const message = `the SQLite storage was interrupted (${cause}); try again`;
      return calls.map((): Result => ({ code: 'unavailable', message }));
    });
    for (const [n, { resolve, reject }] of calls.entries()) {
      const result = results[n]!;
      if ('value' in result) resolve(result.value);
      else reject(new StorageError(result.code, result.message));
    }
    requests -= 1;
    void send();
  };
  return <T>(operation: Operation): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (waiting.push({ operation, resolve, reject }) === 1) setImmediate(send);
    });
}
