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

/** Calls of one store that go to the thread together, in their order. */
interface Request {
  /** Another one for each store that is opened. */
  store: number;
  /** In every request: a thread that had to be started again opens the file by itself. */
  path: string;
  operations: readonly Operation[];
}

/** A StorageError loses its code on its way between threads. */
export type Result = { value: unknown } | { code: StorageErrorCode; message: string };

const ROLE = 'podsync-sqlite';

/** For all files of this process: SQLite blocks its thread. */
export const sqliteThread = createThread<Request, Result[]>(import.meta.url, ROLE);

/** By the number of their store. */
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

/** Commits first, and together: what is read in the same moment may be newer. */
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
