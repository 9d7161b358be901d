import { isNativeError } from 'node:util/types';
import { isStorageError, type Log, type Seconds, type Storage, StorageError } from '../../../src/old-plugin.ts';
import { readActions } from '../action-columns.ts';
import { createInbox, type Inbox } from './inbox.ts';
import {
  type Answer,
  type Batch,
  type Called,
  isIterable,
  type Question,
  type Request,
  type StorageRef,
} from './messages.ts';
import { openInThisThread } from './storage.ts';

/** Rows that are read one by one travel in batches of this many; pages travel alone. */
const BATCH = 200;

type Verb = (...args: unknown[]) => unknown;
type Verbs = Record<string, Verb>;

/** Serves one storage. */
export type Responder = (question: Question) => Promise<Answer>;

/**
 * Does what is asked of one storage, in the order asked.
 *
 * Here time is what the newest question says, also for an upload that was asked for earlier and waits for its turn: so
 * it is read under the user's lock, as `domain/stamp` wants it. All marks are handed out by this clock, so that none
 * can pass the stamp of an upload that comes after it.
 */
export function createResponder(): Responder {
  let at: Seconds;
  const logged: Parameters<Log>[] = [];
  let storage: Promise<Storage> | undefined;
  /** What calls answered and what they are given, by the numbers of the calls. */
  const streams = new Map<number, AsyncIterator<unknown>>();
  const inboxes = new Map<number, Inbox>();

  const open = ({ file, dataDir, overlap }: StorageRef): Promise<Storage> => {
    if (storage) return storage;
    storage = openInThisThread(file, { dataDir, overlap, now: () => at, log: (...line) => void logged.push(line) });
    storage.catch(() => (storage = undefined)); // the next question tries again
    return storage;
  };

  const readBatch = async (number: number): Promise<Batch> => {
    const iterator = streams.get(number);
    if (!iterator) throw new StorageError('unavailable', 'the SQLite storage was interrupted; try again');
    let isOver = true; // also where it throws
    try {
      const items: unknown[] = [];
      do {
        const next = await iterator.next();
        if (next.done) return { items, isOver };
        items.push(next.value);
      } while (items.length < BATCH && !Array.isArray(items[0]));
      isOver = false;
      return { items, isOver };
    } finally {
      if (isOver) streams.delete(number);
    }
  };

  const call = async (number: number, verb: Verb, args: readonly unknown[]): Promise<Called> => {
    const result = verb(...args);
    const value = isIterable(result) ? { pages: result } : await result;
    if (!hasPages(value)) return { value, batch: undefined };
    const { pages, ...rest } = value;
    streams.set(number, pages[Symbol.asyncIterator]());
    return { value: rest, batch: await readBatch(number) };
  };

  const callWithInbox = async (number: number, verb: Verb, args: readonly unknown[]): Promise<Called> => {
    const inbox = createInbox();
    inboxes.set(number, inbox);
    try {
      return await call(number, verb, [...args, inbox.pages]);
    } finally {
      inboxes.delete(number);
      inbox.leave();
    }
  };

  const answer = async (opened: Storage, request: Request): Promise<unknown> => {
    switch (request.kind) {
      case 'ping':
        await opened.ping();
        return Object.fromEntries(Object.entries(opened).map(([store, verbs]) => [store, Object.keys(verbs)]));
      case 'verify':
        return opened.verify();
      case 'call': {
        const { number, args, isFed } = request;
        const verb = (opened[request.store] as unknown as Verbs)[request.verb]!;
        return isFed ? callWithInbox(number, verb, args) : call(number, verb, args);
      }
      case 'append':
        return opened.actions.append(request.user, readActions(request.actions), request.sender);
      case 'next':
        return readBatch(request.call);
      case 'leave':
        await streams.get(request.call)?.return?.();
        streams.delete(request.call);
        return undefined;
      case 'give':
        return (await inboxes.get(request.call)?.give(request.page)) ?? false;
      case 'end':
        return request.isCut ? inboxes.get(request.call)?.cut() : inboxes.get(request.call)?.end();
      case 'close':
        for (const inbox of inboxes.values()) inbox.cut();
        return opened.close();
    }
  };

  return async (question) => {
    at = question.at;
    try {
      const value = await answer(await open(question.storage), question.request);
      return { value, logged: logged.splice(0) };
    } catch (error) {
      return { error: toNative(error), code: isStorageError(error) ? error.code : undefined, logged: logged.splice(0) };
    }
  };
}

/** SQLite's own errors are no native ones: of those only the code would get through to the other thread. */
function toNative(error: unknown): unknown {
  if (isNativeError(error)) return error;
  const { message, stack } = error as Error;
  return Object.assign(new Error(message), { stack });
}

const hasPages = (value: unknown): value is { pages: AsyncIterable<unknown> } =>
  typeof value === 'object' && value !== null && 'pages' in value && isIterable(value.pages);
