import type { Log, OpenContext, Seconds, StorageErrorCode, StoreName, UserId } from '../../src/plugin.ts';

/** Which storage: with it in every question, a thread that had to be started anew opens it by itself. */
export interface Place extends Pick<OpenContext, 'dataDir' | 'overlap'> {
  /** Another one each time that a storage is opened. */
  number: number;
  file: string;
}

/** Rows or pages, which do not travel as they are. */
export const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** What the thread is asked. */
export interface Question {
  place: Place;
  /** When it was asked. */
  at: Seconds;
  request: Request;
}

export type Request =
  /** Answers the names of the stores, and of the verbs of each. */
  | { kind: 'ping' }
  | { kind: 'verify' }
  /** Answers a `Called`. `inbox`: the last argument are pages, which come with this number one by one. */
  | { kind: 'call'; store: StoreName; verb: string; args: unknown[]; inbox: number | undefined }
  /** An upload; answers the mark. `actions` as `writeActions` writes them, which travel quicker than an object for each. */
  | { kind: 'append'; user: UserId; actions: string }
  /** Answers the next `Batch`. */
  | { kind: 'next'; stream: number }
  /** The rest is not wanted. */
  | { kind: 'leave'; stream: number }
  /** Answers, once the page is taken, whether more are wanted. */
  | { kind: 'give'; inbox: number; page: unknown }
  /** There are no more pages; `isCut`: there should have been. */
  | { kind: 'end'; inbox: number; isCut: boolean }
  | { kind: 'close' };

/** What a verb answered, but for its `pages`, which come in batches. */
export interface Called {
  value: unknown;
  batch: Batch | undefined;
}

/** Some of what is read page by page, or row by row. */
export interface Batch {
  stream: number;
  items: unknown[];
  isOver: boolean;
}

/** `code` where the error is a StorageError, which loses it on its way. `logged` since the last answer. */
export type Answer = { logged: Parameters<Log>[] } & (
  | { value: unknown }
  | { error: unknown; code: StorageErrorCode | undefined }
);
