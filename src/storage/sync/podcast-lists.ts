import { LRUCache } from 'lru-cache';
import type { ListSummary, PodcastList, Url, UserId } from '../../domain/types.ts';
import { listPrefix, listsPrefix } from '../accounts/account-keys.ts';
import { mergeBatches } from '../batch.ts';
import type { Batch, Entry, Key, Value } from '../contract.ts';
import type { Core } from '../core.ts';
import { StorageError } from '../errors.ts';
import { chunkNumber, under } from '../keys.ts';
import { byPlace, listAll, readRows, replaceKeys, writeRows } from '../rows.ts';
import type { ListStore } from '../stores.ts';
import { valueOf } from '../values.ts';

/** The first row of a list. Written as a chunk of its own, so that it can be read without the URLs that follow. */
interface Header extends ListSummary {
  /** Position among the lists. */
  place: number;
}

/** Approximate size of the cache. Bytes. */
const CACHE = 16 * 1024 * 1024;

export function createListStore(core: Core): ListStore {
  const { store, accounts } = core;
  /** By the versions of the rows. Concurrent readers of a long list share one copy. */
  const cache = new LRUCache<string, PodcastList>({ maxSize: CACHE });
  const read = (user: UserId, name: string): Promise<Entry[]> => listAll(store, listPrefix(user, name));

  return {
    async all(user) {
      const lists = await readHeaders(core, user);
      return lists.map(({ name, title }) => ({ name, title }));
    },

    async find(user, name) {
      const entries = await read(user, name);
      if (entries.length === 0) return undefined;
      const versions = entries.map(({ key, version }) => `${key} ${version}`).join();
      const list = cache.get(versions) ?? parseList(entries).list;
      cache.set(versions, list, { size: entries.reduce((size, { value }) => size + value.length, 1) });
      return list;
    },

    create: (user, list) =>
      accounts.write(user, async ({ head }) => {
        const before = await read(user, list.name);
        if (before.length > 0) throw new StorageError('conflict', 'a list with such a title exists; choose another');
        return {
          result: undefined,
          write: { head: { next: head.next + 1 }, set: await writeList(user, list, head.next) },
        };
      }),

    update: (user, name, change) =>
      accounts.write(user, async () => {
        const entries = await read(user, name);
        if (entries.length === 0) return { result: false };
        const { list, place } = parseList(entries);
        return { result: true, write: await replaceList(user, { ...list, ...change(list) }, place, entries) };
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
          const entries = await read(user, header.name);
          replaced.push(await replaceList(user, parseList(entries).list, place, entries));
        }
        return { result: true, write: replaced.length > 0 ? mergeBatches(replaced) : undefined };
      }),

    delete: (user, name) =>
      accounts.write(user, async () => {
        const keys = (await read(user, name)).map(({ key }) => key);
        return keys.length === 0 ? { result: false } : { result: true, write: { delete: keys } };
      }),
  };
}

/** The entries of a list. */
export async function writeList(
  user: UserId,
  { name, title, urls }: PodcastList,
  place: number,
): Promise<[Key, Value][]> {
  const prefix = listPrefix(user, name);
  const header: Header = { name, title, place };
  return [[`${prefix}${chunkNumber(0)}`, JSON.stringify([header])], ...(await writeRows(prefix, urls, 1))];
}

/** Replaces all `entries` of a list. */
async function replaceList(user: UserId, list: PodcastList, place: number, entries: readonly Entry[]) {
  const keys = entries.map(({ key }) => key);
  return replaceKeys(await writeList(user, list, place), keys);
}

/** A list and its place, from all its entries. */
function parseList(entries: readonly Entry[]): { list: PodcastList; place: number } {
  const [{ place, ...summary }, ...urls] = readRows<Header | Url>(entries) as [Header, ...Url[]];
  return { list: { ...summary, urls }, place };
}

/** The headers of all lists of an account, in order. Skips the URLs: an account may have a million. */
export async function readHeaders({ store }: Core, user: UserId): Promise<Header[]> {
  const headers: Header[] = [];
  let { from, until } = under(listsPrefix(user));
  for (;;) {
    const [first] = await store.list({ from, until, limit: 1 });
    if (!first) return headers.toSorted(byPlace);
    const [header] = valueOf<[Header]>(first);
    headers.push(header);
    from = under(listPrefix(user, header.name)).until;
  }
}

/** The feeds in some of the entries of lists. */
export const feedsIn = (entries: readonly Entry[]): Url[] =>
  readRows<Header | Url>(entries).filter((row) => typeof row === 'string');

/** A list; undefined if it does not exist. */
export async function readList({ store }: Core, user: UserId, name: string): Promise<PodcastList | undefined> {
  const entries = await listAll(store, listPrefix(user, name));
  return entries.length === 0 ? undefined : parseList(entries).list;
}
