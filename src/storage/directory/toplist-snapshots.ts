import type { Seconds } from '../../domain/types.ts';
import type { Key, KeyValueStore, Value } from '../contract.ts';
import type { ToplistSnapshot } from './documents.ts';
import { readValue, updateValue } from '../values.ts';
import { TOPLISTS_KEY } from './keys.ts';

/** Podcasts in a snapshot. */
export const SNAPSHOT_LENGTH = 100;
/** Characters of a URL in a snapshot, so that all snapshots fit into one value. */
const MAX_URL = 4000;
/** Minimum time between two snapshots: a bit less than a day, so that a daily rebuild always stores one. */
const INTERVAL: Seconds = 23 * 3600;
const WEEK: Seconds = 7 * 86_400;

/** Toplists of the last week and the newest one before, for the rank of last week. */
export class ToplistSnapshots {
  /** Newest first. */
  all: readonly ToplistSnapshot[] = [];
  readonly #store: KeyValueStore;
  /** Entries that notify other processes of a change. */
  readonly #notifications: () => [Key, Value][];

  constructor(store: KeyValueStore, notifications: () => [Key, Value][]) {
    this.#store = store;
    this.#notifications = notifications;
  }

  /** The newest one at least a week old. */
  weekOld(now: Seconds): ToplistSnapshot | undefined {
    return this.all.find(({ at }) => at <= now - WEEK);
  }

  /** Adds a toplist, unless it is empty or there is one of about the same time. */
  async add({ at, urls }: ToplistSnapshot): Promise<void> {
    const snapshot = { at, urls: urls.slice(0, SNAPSHOT_LENGTH).filter(({ length }) => length <= MAX_URL) };
    this.all = await updateValue<ToplistSnapshot[], ToplistSnapshot[]>(this.#store, TOPLISTS_KEY, (stored = []) => {
      const isKnown = stored.some((each) => Math.abs(each.at - at) < INTERVAL);
      if (isKnown || snapshot.urls.length === 0) return { result: stored };
      const all = [...stored, snapshot].toSorted((a, b) => b.at - a.at);
      const weekOld = all.findIndex((each) => each.at <= all[0]!.at - WEEK);
      const kept = weekOld === -1 ? all : all.slice(0, weekOld + 1);
      return { result: kept, value: kept, set: this.#notifications() };
    });
  }

  async reload(): Promise<void> {
    this.all = (await readValue(this.#store, TOPLISTS_KEY)) ?? [];
  }
}
