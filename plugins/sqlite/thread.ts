import { type Batch, createThread, type PackedBatch, serveThread, unpackBatch } from '../../src/plugin.ts';
import { type Database, openDatabase, type Result } from './database.ts';
import { toStorageError } from './failure.ts';
import type { Access } from './file.ts';

type Method = 'get' | 'list' | 'ping' | 'verify' | 'close';

/** One call of a store: a method of the database, or a commit. */
export type Operation =
  | { [Kind in Method]: { kind: Kind; args: Parameters<Database[Kind]> } }[Method]
  | { kind: 'commit'; batch: Batch | PackedBatch };

/** What is moved to the thread instead of copied. */
export const buffersIn = (operations: readonly Operation[]): ArrayBuffer[] =>
  operations.flatMap((each) => (each.kind === 'commit' && Array.isArray(each.batch) ? each.batch : []));

/** Calls of one store, sent to the thread as one message, in order. */
interface Request {
  store: number;
  /** Sent with every request, so that a restarted thread can open the file again. */
  path: string;
  operations: readonly Operation[];
}

/** A thread for all files of this process, as SQLite blocks it. */
const threadFor = (access: Access) => {
  const role = `podsync-sqlite-${access}`;
  const openDatabases = new Map<number, Promise<Database>>();
  serveThread<Request, Result[]>(role, async ({ store, path, operations }) => {
    const opening = openDatabases.get(store) ?? openDatabase(path, access);
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
  return createThread<Request, Result[]>(import.meta.url, role);
};

export const writer = threadFor('write');
export const reader = threadFor('read');

/** Runs commits first, and together: concurrent reads may see them. */
function run(database: Database, path: string, operations: readonly Operation[]): Result[] {
  const batches = operations.flatMap((each) => (each.kind === 'commit' ? [unpackBatch(each.batch)] : []));
  const committed = batches.length > 0 ? database.commit(batches) : [];
  return operations.map((operation) => {
    if (operation.kind === 'commit') return committed.shift()!;
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
