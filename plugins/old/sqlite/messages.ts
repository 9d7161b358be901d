import type {
  Log,
  StorageContext,
  Seconds,
  Sender,
  StorageErrorCode,
  StoreName,
  UserId,
} from '../../../src/old-plugin.ts';

/** Which storage: with it in every question, a thread that had to be started anew opens it by itself. */
export interface StorageRef extends Pick<StorageContext, 'dataDir' | 'overlap'> {
  /** Another one each time that a storage is opened. */
  number: number;
  file: string;
}

/** Rows or pages, which do not travel as they are. */
export const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** What the thread is asked. */
export interface Question {
  storage: StorageRef;
  /** When it was asked. */
  at: Seconds;
  request: Request;
}

export type Request =
  /** Answers the names of the stores, and of the verbs of each. */
  | { kind: 'ping' }
  | { kind: 'verify' }
  /**
   * Answers a `Called`. `number` is of this call alone, also in a thread that had to be started anew: pages go by it.
   * `isFed`: the last argument are pages, which come one by one.
   */
  | { kind: 'call'; number: number; store: StoreName; verb: string; args: unknown[]; isFed: boolean }
  /** An upload; answers the mark. `actions` as `writeActions` writes them, which travel quicker than an object for each. */
  | { kind: 'append'; user: UserId; actions: string; sender: Sender | undefined }
  /** Answers the next `Batch` of what a call answered. */
  | { kind: 'next'; call: number }
  /** The rest of it is not wanted. */
  | { kind: 'leave'; call: number }
  /** A page for a call. Answers, once it is taken, whether more are wanted. */
  | { kind: 'give'; call: number; page: unknown }
  /** There are no more pages for it; `isCut`: there should have been. */
  | { kind: 'end'; call: number; isCut: boolean }
  | { kind: 'close' };

/** What a verb answered, but for its `pages`, which come in batches. */
export interface Called {
  value: unknown;
  batch: Batch | undefined;
}

/** Some of what is read page by page, or row by row. */
export interface Batch {
  items: unknown[];
  isOver: boolean;
}

/** `code` where the error is a StorageError, which loses it on its way. `logged` since the last answer. */
export type Answer = { logged: Parameters<Log>[] } & (
  | { value: unknown }
  | { error: unknown; code: StorageErrorCode | undefined }
);
