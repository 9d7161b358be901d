import {
  type Batch,
  createThread,
  type Key,
  type Range,
  serveThread,
  type StorageErrorCode,
} from '../../src/plugin.ts';
import { type PackedBatch, unpack } from './packed-batch.ts';
import { Database } from './database.ts';
import { toStorageError } from './failure.ts';

/** One call of a store. */
export type Operation =
  | { kind: 'get'; keys: readonly Key[] }
  | { kind: 'list'; range: Range }
  | { kind: 'commit'; batch: Batch | PackedBatch }
  | { kind: 'ping' | 'verify' | 'close' };

/** Calls of one store, sent to the thread as one message, in order. */
interface Request {
  /** Unique number of the store. */
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

/** By store number. */
const databases = new Map<number, Promise<Database>>();

serveThread<Request, Result[]>(ROLE, async ({ store, path, operations }) => {
  try {
    const database = await open(store, path);
    if (operations.at(-1)?.kind === 'close') databases.delete(store);
    return run(database, path, operations);
  } catch (error) {
    return operations.map(() => toFailure(error, path));
  }
});

function open(store: number, path: string): Promise<Database> {
  let database = databases.get(store);
  if (!database) {
    database = Database.open(path);
    databases.set(store, database);
    database.catch(() => databases.delete(store)); // the next request tries again
  }
  return database;
}

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
      return { value: execute(database, operation) };
    } catch (error) {
      return toFailure(error, path);
    }
  });
}

function execute(database: Database, operation: Exclude<Operation, { kind: 'commit' }>): unknown {
  switch (operation.kind) {
    case 'get':
      return database.get(operation.keys);
    case 'list':
      return database.list(operation.range);
    default:
      return database[operation.kind]();
  }
}

function toFailure(error: unknown, path: string): Result {
  const { code, message } = toStorageError(error, path);
  return { code, message };
}
