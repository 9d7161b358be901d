import type { Seconds } from '../../domain/types.ts';
import type { Key, KeyValueStore, Value, Version } from '../contract.ts';
import { parse, type ToplistSnapshot } from './documents.ts';
import { TOPLISTS_KEY } from './keys.ts';

/** Podcasts in a snapshot. */
export const SNAPSHOT_LENGTH = 100;
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
  #version: Version = 0;

  constructor(store: KeyValueStore, notifications: () => [Key, Value][]) {
    this.#store = store;
    this.#notifications = notifications;
  }

  /** The newest one at least a week old. */
  weekOld(now: Seconds): ToplistSnapshot | undefined {
    return this.all.find(({ at }) => at <= now - WEEK);
  }

  /** Adds a snapshot, unless it is empty or there is one of about the same time. */
  async add(snapshot: ToplistSnapshot): Promise<void> {
    if (this.#store.isShared) await this.reload();
    for (;;) {
      const isKnown = this.all.some(({ at }) => Math.abs(at - snapshot.at) < INTERVAL);
      if (isKnown || snapshot.urls.length === 0) return;
      const all = [...this.all, snapshot].toSorted((a, b) => b.at - a.at);
      const weekOld = all.findIndex(({ at }) => at <= all[0]!.at - WEEK);
      const kept = weekOld === -1 ? all : all.slice(0, weekOld + 1);
      const version = await this.#store.commit({
        check: [[TOPLISTS_KEY, this.#version]],
        set: [[TOPLISTS_KEY, JSON.stringify(kept)], ...this.#notifications()],
      });
      if (version !== undefined) [this.all, this.#version] = [kept, version];
      else await this.reload();
    }
  }

  async reload(): Promise<void> {
    const [entry] = await this.#store.get([TOPLISTS_KEY]);
    this.all = entry ? parse<ToplistSnapshot[]>(entry.value) : [];
    this.#version = entry?.version ?? 0;
  }

  clear(): void {
    this.all = [];
    this.#version = 0;
  }
}
