import { LRUCache } from 'lru-cache';
import type { ListSummary, PodcastList, Url, UserId } from '../../domain/types.ts';
import { listPrefix, listsPrefix } from '../accounts/account-keys.ts';
import { mergeBatches } from '../batch.ts';
import type { Entry, Key, Value } from '../contract.ts';
import type { Core } from '../accounts/core.ts';
import { StorageError } from '../errors.ts';
import { under } from '../keys.ts';
import { byPlace, listAll, readRows, replaceRows, writeRows } from '../rows.ts';
import type { ListStore } from '../stores.ts';

/** The first row of a list, followed by its URLs. */
interface Header extends ListSummary {
  /** Position among the lists. */
  place: number;
}

interface StoredList extends PodcastList, Header {
  /** The keys of its entries. */
  keys: Key[];
}

/** Approximate size of the cache. Bytes. */
const CACHE = 16 * 1024 * 1024;

export function createListStore(core: Core): ListStore {
  const { store, accounts } = core;
  /** By the versions of the rows. Concurrent readers of a long list share one copy. */
  const cache = new LRUCache<string, PodcastList>({ maxSize: CACHE });
  const read = (user: UserId, name: string): Promise<Entry[]> => listAll(store, under(listPrefix(user, name)));

  return {
    async all(user) {
      const lists = await readLists(core, user);
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
        const before = await readPlaced(core, user);
        const from = before.findIndex((list) => list.name === name);
        if (from === -1) return { result: false };
        const after = before.toSpliced(from, 1).toSpliced(Math.max(0, from + by), 0, before[from]!);
        const moved = after.filter((list, at) => list !== before[at]);
        const replaced = moved.map((list) => replaceList(user, { ...list, place: before[after.indexOf(list)]!.place }));
        return { result: true, ...(moved.length > 0 && { write: mergeBatches(await Promise.all(replaced)) }) };
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

/** All lists of an account, in order. */
export const readLists = async (core: Core, user: UserId): Promise<PodcastList[]> =>
  (await readPlaced(core, user)).map(toPodcastList);

async function readPlaced({ store }: Core, user: UserId): Promise<StoredList[]> {
  const lists = new Map<string, Entry[]>();
  for (const entry of await listAll(store, under(listsPrefix(user)))) {
    const list = entry.key.slice(0, entry.key.lastIndexOf('/'));
    lists.set(list, [...(lists.get(list) ?? []), entry]);
  }
  return [...lists.values()].map(toList).toSorted(byPlace);
}

const toPodcastList = ({ name, title, urls }: PodcastList): PodcastList => ({ name, title, urls });
