import { type Batch, createThread, serveThread, type StorageErrorCode } from '../../src/plugin.ts';
import { type Database, openDatabase } from './database.ts';
import { toStorageError } from './failure.ts';
import { type PackedBatch, unpack } from './packed-batch.ts';

type Method = 'get' | 'list' | 'ping' | 'verify' | 'close';

/** One call of a store: a method of the database, or a commit. */
export type Operation =
  | { [Kind in Method]: { kind: Kind; args: Parameters<Database[Kind]> } }[Method]
  | { kind: 'commit'; batch: Batch | PackedBatch };

/** Calls of one store, sent to the thread as one message, in order. */
interface Request {
  store: number;
  /** Sent with every request, so that a restarted thread can open the file again. */
  path: string;
  operations: readonly Operation[];
}

/** A StorageError would lose its code between threads. */
export type Result = { value: unknown } | { code: StorageErrorCode; message: string };

const ROLE = 'podsync-sqlite';

/** One thread for all files of this process, as SQLite blocks it. */
export const sqliteThread = createThread<Request, Result[]>(import.meta.url, ROLE);

const openDatabases = new Map<number, Promise<Database>>();

serveThread<Request, Result[]>(ROLE, async ({ store, path, operations }) => {
  const opening = openDatabases.get(store) ?? openDatabase(path);
  openDatabases.set(store, opening);
  try {
    const database = await opening;
    if (operations.at(-1)?.kind === 'close') openDatabases.delete(store);
    return run(database, path, operations);
  } catch (error) {
    openDatabases.delete(store); // the next request tries again
    return operations.map(() => toFailure(error, path));
  }
});

/** Runs commits first, and together: concurrent reads may see them. */
function run(database: Database, path: string, operations: readonly Operation[]): Result[] {
  const batches = operations.flatMap((each) => (each.kind === 'commit' ? [unpack(each.batch)] : []));
  const outcomes = batches.length > 0 ? database.commit(batches) : [];
  return operations.map((operation) => {
    if (operation.kind === 'commit') {
      const outcome = outcomes.shift()!;
      return 'error' in outcome ? toFailure(outcome.error, path) : { value: outcome.version };
    }
    try {
      const call = database[operation.kind] as (...args: readonly unknown[]) => unknown;
      return { value: call(...operation.args) };
    } catch (error) {
      return toFailure(error, path);
    }
  });
}

function toFailure(error: unknown, path: string): Result {
  const { code, message } = toStorageError(error, path);
  return { code, message };
}
