import { type OpenContext, type Stamp, type Storage, StorageError, type StoreName } from '../../src/plugin.ts';
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
export async function openInThread(file: string, { dataDir, overlap, now, log }: OpenContext): Promise<Storage> {
  const place = { number: ++opened, file, dataDir, overlap };
  let closing: Promise<void> | undefined;
  let inboxes = 0;

  const send = async (request: Request): Promise<unknown> => {
    const answer = await storageThread.run({ place, at: now(), request }).catch((error: Error) => {
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

  const leave = (stream: number): void => void ask({ kind: 'leave', stream }).catch(() => undefined);
  /** Leaves pages that nobody holds any more and that were not read to their end. */
  const forgotten = new FinalizationRegistry(leave);

  async function* read({ stream, ...first }: Batch, token: object): AsyncGenerator<unknown> {
    let { items, isOver } = first;
    try {
      for (;;) {
        yield* items;
        if (isOver) return;
        ({ items, isOver } = (await ask({ kind: 'next', stream })) as Batch);
      }
    } finally {
      forgotten.unregister(token);
      if (!isOver) leave(stream);
    }
  }

  const call = async (store: StoreName, verb: string, args: unknown[], inbox?: number): Promise<unknown> => {
    const { value, batch } = (await ask({ kind: 'call', store, verb, args, inbox })) as Called;
    if (!batch) return value;
    const token = {};
    const pages = read(batch, token);
    if (!batch.isOver) forgotten.register(pages, batch.stream, token);
    return { ...(value as object), pages };
  };

  async function* callStreamed(store: StoreName, verb: string, args: unknown[]): AsyncGenerator<unknown> {
    const { pages } = (await call(store, verb, args)) as { pages: AsyncIterable<unknown> };
    yield* pages;
  }

  const give = async (inbox: number, pages: AsyncIterable<unknown>): Promise<void> => {
    let isCut = true;
    try {
      for await (const page of pages) if (!(await ask({ kind: 'give', inbox, page }))) return;
      isCut = false;
    } finally {
      await ask({ kind: 'end', inbox, isCut });
    }
  };

  /** Rejects with what the pages throw, where they do. */
  const callWithPages = async (store: StoreName, verb: string, args: unknown[], pages: AsyncIterable<unknown>) => {
    const inbox = ++inboxes;
    const [called, given] = await Promise.allSettled([call(store, verb, args, inbox), give(inbox, pages)]);
    if (given.status === 'rejected') throw given.reason;
    if (called.status === 'rejected') throw called.reason;
    return called.value;
  };

  const toVerb = (store: StoreName, verb: string) => {
    if (verb in STREAMED[store]) return (...args: unknown[]) => callStreamed(store, verb, args);
    return (...args: unknown[]) => {
      const pages = args.at(-1);
      return isIterable(pages) ? callWithPages(store, verb, args.slice(0, -1), pages) : call(store, verb, args);
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
      append: async (user, actions) => (await ask({ kind: 'append', user, actions: writeActions(actions) })) as Stamp,
    },
    ping: async () => void (await ask({ kind: 'ping' })),
    verify: async () => void (await ask({ kind: 'verify' })),
    close: () => (closing ??= send({ kind: 'close' }).then(() => undefined)),
  };
}

const unavailable = (why: string): StorageError => new StorageError('unavailable', `the SQLite storage ${why}`);
