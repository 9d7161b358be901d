import { LRUCache } from 'lru-cache';
import type { ListSummary, Url, UserId } from '../../domain/types.ts';
import { listPrefix, listsKey } from '../accounts/account-keys.ts';
import type { Write } from '../accounts/accounts.ts';
import type { Entry, Key, Value } from '../contract.ts';
import type { Core } from '../core.ts';
import { StorageError } from '../errors.ts';
import { listAll, readRows, replaceRows, writeRows } from '../rows.ts';
import type { ListStore } from '../stores.ts';
import { readValue } from '../values.ts';

/** Approximate size of the cache. Bytes. */
const CACHE = 16 * 1024 * 1024;

export function createListStore(core: Core): ListStore {
  const { accounts } = core;
  /** By the versions of the rows. Concurrent readers of a long list share one copy. */
  const cache = new LRUCache<string, Url[]>({ maxSize: CACHE });

  /** Changes a list, whose place among all `lists` is `at`. False if there is none with this name. */
  const change = (
    user: UserId,
    name: string,
    decide: (lists: readonly ListSummary[], at: number) => Promise<Write | undefined>,
  ): Promise<boolean> =>
    accounts.write(user, async () => {
      const lists = await readLists(core, user);
      const at = lists.findIndex((list) => list.name === name);
      return at === -1 ? { result: false } : { result: true, write: await decide(lists, at) };
    });

  return {
    all: (user) => readLists(core, user),

    async find(user, name) {
      // Two reads: after a concurrent change, the feeds may be newer than the title.
      const [lists, entries] = await Promise.all([readLists(core, user), readFeeds(core, user, name)]);
      const summary = lists.find((list) => list.name === name);
      if (!summary || entries.length === 0) return undefined;
      const versions = entries.map(({ key, version }) => `${key} ${version}`).join();
      const urls = cache.get(versions) ?? readRows<Url>(entries);
      cache.set(versions, urls, { size: entries.reduce((size, { value }) => size + value.length, 1) });
      return { ...summary, urls };
    },

    create: (user, { urls, ...summary }) =>
      accounts.write(user, async () => {
        const lists = await readLists(core, user);
        const isTaken = lists.some(({ name }) => name === summary.name);
        if (isTaken) throw new StorageError('conflict', 'a list with a similar title exists; choose another');
        const feeds = await writeRows(listPrefix(user, summary.name), urls);
        return { result: undefined, write: { set: [writeLists(user, [...lists, summary]), ...feeds] } };
      }),

    update: (user, name, toChanged) =>
      change(user, name, async (lists, at) => {
        const entries = await readFeeds(core, user, name);
        const before = { ...lists[at]!, urls: readRows<Url>(entries) };
        const { urls, ...summary } = { ...before, ...toChanged(before) };
        const feeds = await replaceRows(listPrefix(user, name), urls, keysOf(entries));
        return { ...feeds, set: [writeLists(user, lists.with(at, summary)), ...feeds.set] };
      }),

    move: (user, name, by) =>
      change(user, name, async (lists, at) => {
        const moved = lists.toSpliced(at, 1).toSpliced(Math.max(0, at + by), 0, lists[at]!);
        return moved[at] === lists[at] ? undefined : { set: [writeLists(user, moved)] };
      }),

    delete: (user, name) =>
      change(user, name, async (lists, at) => ({
        set: [writeLists(user, lists.toSpliced(at, 1))],
        delete: keysOf(await readFeeds(core, user, name)),
      })),
  };
}

/** The names and titles of all lists of an account, in order. */
export const readLists = async ({ store }: Core, user: UserId): Promise<ListSummary[]> =>
  (await readValue(store, listsKey(user))) ?? [];

export const writeLists = (user: UserId, lists: readonly ListSummary[]): [Key, Value] => [
  listsKey(user),
  JSON.stringify(lists),
];

/** The rows of a list, which are its feeds; none if it does not exist. */
export const readFeeds = ({ store }: Core, user: UserId, name: string): Promise<Entry[]> =>
  listAll(store, listPrefix(user, name));

const keysOf = (entries: readonly Entry[]): Key[] => entries.map(({ key }) => key);
