import { type Batch, type Entry, type KeyValueStore, StorageError, type Version } from '../../src/plugin.ts';
import { isLarge, pack } from './packed-batch.ts';
import { type Operation, sqliteThread } from './thread.ts';

/** Concurrent requests to the thread: while it runs one, the next is being sent. */
const REQUESTS = 2;

/** An operation that waits to be sent or for its result. */
interface Call {
  operation: Operation;
  resolve(value: any): void;
  reject(error: StorageError): void;
}

/** Number of stores opened so far. */
let opened = 0;

/**
 * Opens a file in the worker thread. Calls in the same turn of the event loop, and calls while the thread is busy, are
 * sent as one message: a message costs more than most calls, and commits in one message share a transaction. Rejects as
 * `Database.open` does.
 */
export async function openStore(path: string): Promise<KeyValueStore> {
  const store = ++opened;
  let waiting: Call[] = [];
  let requests = 0;
  let closing: Promise<void> | undefined;

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
      const failure = unavailable(`was interrupted (${(error as Error).message}); try again`);
      for (const { reject } of calls) reject(failure);
    }
    requests -= 1;
    void send();
  };
  const call = <T>(operation: Operation): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (waiting.push({ operation, resolve, reject }) === 1) setImmediate(send);
    });
  const callOpen = async <T>(operation: Operation): Promise<T> => {
    if (closing) throw unavailable('is closed');
    return call(operation);
  };

  /** Batches that are being packed. */
  const packing = new Set<Promise<unknown>>();
  const commitLarge = async (batch: Batch): Promise<Version | undefined> => {
    if (closing) throw unavailable('is closed');
    const packed = pack(batch);
    packing.add(packed);
    const committed = packed.then((chunks) => call<Version | undefined>({ kind: 'commit', batch: chunks }));
    await packed;
    packing.delete(packed);
    return committed;
  };

  await call({ kind: 'ping' });
  return {
    isShared: false,
    get: (keys) => callOpen<(Entry | undefined)[]>({ kind: 'get', keys }),
    list: (range) => callOpen<Entry[]>({ kind: 'list', range }),
    commit: (batch) => (isLarge(batch) ? commitLarge(batch) : callOpen({ kind: 'commit', batch })),
    ping: () => callOpen<void>({ kind: 'ping' }),
    verify: () => callOpen<void>({ kind: 'verify' }),
    close: () => (closing ??= Promise.all(packing).then(() => call<void>({ kind: 'close' }))),
  };
}

const unavailable = (what: string): StorageError => new StorageError('unavailable', `the SQLite storage ${what}`);
