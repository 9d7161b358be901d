import {
  type StorageContext,
  type Stamp,
  type Storage,
  StorageError,
  type StoreName,
} from '../../../src/old-plugin.ts';
import { writeActions } from '../action-columns.ts';
import { type Batch, type Called, isIterable, type Request } from './messages.ts';
import { rememberWho } from './remembering.ts';
import { storageThread } from './thread.ts';

type StreamedVerb<S> = {
  [V in keyof S]: S[V] extends (...args: never[]) => AsyncIterable<unknown> ? V : never;
}[keyof S];

/** The verbs that answer rows or pages while these are read; all others answer a promise. */
const STREAMED: { [S in StoreName]: Record<StreamedVerb<Storage[S]>, true> } = {
  users: { all: true },
  sessions: {},
  attempts: {},
  devices: {},
  subscriptions: {},
  actions: {},
  settings: {},
  lists: {},
  podcasts: { feeds: true },
  transfer: { exportUser: true, exportDirectory: true },
};

/** How many storages were opened: each has its number. */
let opened = 0;

/** Opens the storage in the thread, where every call of it goes as a message. Rejects as `Database.open` does. */
export async function openInThread(file: string, { dataDir, overlap, now, log }: StorageContext): Promise<Storage> {
  const storage = { number: ++opened, file, dataDir, overlap };
  let closing: Promise<void> | undefined;
  let calls = 0;

  const send = async (request: Request): Promise<unknown> => {
    const answer = await storageThread.run({ storage, at: now(), request }).catch((error: Error) => {
      throw unavailable(`was interrupted (${error.message}); try again`);
    });
    for (const line of answer.logged) log(...line);
    if ('value' in answer) return answer.value;
    const { error, code } = answer;
    throw code === undefined ? error : new StorageError(code, (error as Error).message, { cause: error });
  };
  const ask = async (request: Request): Promise<unknown> => {
    if (closing) throw unavailable('is closed');
    return send(request);
  };

  const leave = (number: number): void => void ask({ kind: 'leave', call: number }).catch(() => undefined);
  /** Ends the reading of pages that somebody dropped before their end. */
  const forgotten = new FinalizationRegistry(leave);

  async function* read(number: number, { items, isOver }: Batch, token: object): AsyncGenerator<unknown> {
    try {
      for (;;) {
        yield* items;
        if (isOver) return;
        ({ items, isOver } = (await ask({ kind: 'next', call: number })) as Batch);
      }
    } finally {
      forgotten.unregister(token);
      if (!isOver) leave(number);
    }
  }

  const call = async (number: number, store: StoreName, verb: string, args: unknown[], isFed = false) => {
    const { value, batch } = (await ask({ kind: 'call', number, store, verb, args, isFed })) as Called;
    if (!batch) return value;
    const token = {};
    const pages = read(number, batch, token);
    if (!batch.isOver) forgotten.register(pages, number, token);
    return { ...(value as object), pages };
  };

  async function* callStreamed(store: StoreName, verb: string, args: unknown[]): AsyncGenerator<unknown> {
    const { pages } = (await call(++calls, store, verb, args)) as { pages: AsyncIterable<unknown> };
    yield* pages;
  }

  const give = async (number: number, pages: AsyncIterable<unknown>): Promise<void> => {
    let isCut = true;
    try {
      for await (const page of pages) if (!(await ask({ kind: 'give', call: number, page }))) return;
      isCut = false;
    } finally {
      await ask({ kind: 'end', call: number, isCut });
    }
  };

  /** Rejects with what the pages throw, where they do. */
  const callWithPages = async (store: StoreName, verb: string, args: unknown[], pages: AsyncIterable<unknown>) => {
    const number = ++calls;
    const [called, given] = await Promise.allSettled([call(number, store, verb, args, true), give(number, pages)]);
    if (given.status === 'rejected') throw given.reason;
    if (called.status === 'rejected') throw called.reason;
    return called.value;
  };

  const toVerb = (store: StoreName, verb: string) => {
    if (verb in STREAMED[store]) return (...args: unknown[]) => callStreamed(store, verb, args);
    return (...args: unknown[]) => {
      const pages = args.at(-1);
      return isIterable(pages)
        ? callWithPages(store, verb, args.slice(0, -1), pages)
        : call(++calls, store, verb, args);
    };
  };

  const shape = (await ask({ kind: 'ping' })) as Record<StoreName, string[]>;
  const stores = Object.fromEntries(
    Object.entries(shape).map(([store, verbs]) => [
      store,
      Object.fromEntries(verbs.map((verb) => [verb, toVerb(store as StoreName, verb)])),
    ]),
  ) as unknown as Pick<Storage, StoreName>;
  return {
    ...stores,
    ...rememberWho(stores, now),
    actions: {
      ...stores.actions,
      append: async (user, actions, sender) =>
        (await ask({ kind: 'append', user, actions: writeActions(actions), sender })) as Stamp,
    },
    ping: async () => void (await ask({ kind: 'ping' })),
    verify: async () => void (await ask({ kind: 'verify' })),
    close: () => (closing ??= send({ kind: 'close' }).then(() => undefined)),
  };
}

const unavailable = (why: string): StorageError => new StorageError('unavailable', `the SQLite storage ${why}`);
