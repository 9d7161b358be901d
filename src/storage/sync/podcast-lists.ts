import { LRUCache } from 'lru-cache';
import { groupBy } from '../../batches.ts';
import type { ListSummary, PodcastList, Url, UserId } from '../../domain/types.ts';
import { listPrefix, listsPrefix } from '../accounts/account-keys.ts';
import { mergeBatches } from '../batch.ts';
import type { Batch, Entry, Key, Value } from '../contract.ts';
import type { Core } from '../accounts/core.ts';
import { StorageError } from '../errors.ts';
import { chunkNumber, under } from '../keys.ts';
import { byPlace, listAll, readRows, replaceRows, scan, writeRows } from '../rows.ts';
import type { ListStore } from '../stores.ts';
import { valueOf } from '../values.ts';

/** The first row of a list, followed by its URLs. */
interface Header extends ListSummary {
  /** Position among the lists. */
  place: number;
}

interface StoredList extends PodcastList, Header {
  /** The keys of its entries. */
  keys: Key[];
}

/** The chunk that begins with the header. */
const FIRST_CHUNK = `/${chunkNumber(0)}`;

/** Approximate size of the cache. Bytes. */
const CACHE = 16 * 1024 * 1024;

export function createListStore(core: Core): ListStore {
  const { store, accounts } = core;
  /** By the versions of the rows. Concurrent readers of a long list share one copy. */
  const cache = new LRUCache<string, PodcastList>({ maxSize: CACHE });
  const read = (user: UserId, name: string): Promise<Entry[]> => listAll(store, under(listPrefix(user, name)));

  return {
    async all(user) {
      const lists = await readHeaders(core, user);
      return lists.map(({ name, title }) => ({ name, title }));
    },

    async find(user, name) {
      const entries = await read(user, name);
      if (entries.length === 0) return undefined;
      const versions = entries.map(({ key, version }) => `${key} ${version}`).join();
      const list = cache.get(versions) ?? toPodcastList(toList(entries));
      cache.set(versions, list, { size: entries.reduce((size, { value }) => size + value.length, 1) });
      return list;
    },

    create: (user, list) =>
      accounts.write(user, async ({ head }) => {
        const before = await read(user, list.name);
        if (before.length > 0) throw new StorageError('conflict', 'a list with this name already exists');
        return {
          result: undefined,
          write: { head: { next: head.next + 1 }, set: await writeList(user, list, head.next) },
        };
      }),

    update: (user, name, change) =>
      accounts.write(user, async () => {
        const entries = await read(user, name);
        if (entries.length === 0) return { result: false };
        const { place, keys, ...list } = toList(entries);
        return { result: true, write: await replaceList(user, { ...list, ...change(list), place, keys }) };
      }),

    move: (user, name, by) =>
      accounts.write(user, async () => {
        const before = await readHeaders(core, user);
        const from = before.findIndex((list) => list.name === name);
        if (from === -1) return { result: false };
        const after = before.toSpliced(from, 1).toSpliced(Math.max(0, from + by), 0, before[from]!);
        const replaced: Batch[] = [];
        for (const [at, header] of after.entries()) {
          const { place } = before[at]!;
          if (header.place === place) continue;
          replaced.push(await replaceList(user, { ...toList(await read(user, header.name)), place }));
        }
        return { result: true, ...(replaced.length > 0 && { write: mergeBatches(replaced) }) };
      }),

    delete: (user, name) =>
      accounts.write(user, async () => {
        const keys = (await read(user, name)).map(({ key }) => key);
        return keys.length === 0 ? { result: false } : { result: true, write: { delete: keys } };
      }),
  };
}

/** The entries of a list. */
export const writeList = (user: UserId, list: PodcastList, place: number): Promise<[Key, Value][]> =>
  writeRows(listPrefix(user, list.name), toRows(list, place));

const replaceList = (user: UserId, { place, keys, ...list }: StoredList) =>
  replaceRows(listPrefix(user, list.name), toRows(list, place), keys);

const toRows = ({ name, title, urls }: PodcastList, place: number): (Header | Url)[] => [
  { name, title, place },
  ...urls,
];

function toList(entries: readonly Entry[]): StoredList {
  const [header, ...urls] = readRows<Header | Url>(entries) as [Header, ...Url[]];
  return { ...header, urls, keys: entries.map(({ key }) => key) };
}

/** The headers of all lists of an account, in order. Page by page, as the lists may not fit in memory. */
async function readHeaders({ store }: Core, user: UserId): Promise<Header[]> {
  const headers: Header[] = [];
  for await (const page of scan(store, under(listsPrefix(user)))) {
    for (const entry of page) if (entry.key.endsWith(FIRST_CHUNK)) headers.push(valueOf<[Header]>(entry)[0]);
  }
  return headers.toSorted(byPlace);
}

/** The feeds in some of the entries of lists. */
export const feedsIn = (entries: readonly Entry[]): Url[] =>
  readRows<Header | Url>(entries).filter((row) => typeof row === 'string');

/** All lists of an account, in order. */
export async function readLists({ store }: Core, user: UserId): Promise<PodcastList[]> {
  const entries = await listAll(store, under(listsPrefix(user)));
  const lists = groupBy(entries, ({ key }) => key.slice(0, key.lastIndexOf('/')));
  return [...lists.values()].map(toList).toSorted(byPlace).map(toPodcastList);
}

const toPodcastList = ({ name, title, urls }: PodcastList): PodcastList => ({ name, title, urls });
