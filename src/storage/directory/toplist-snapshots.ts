import type { Key, KeyValueStore, Value, Version } from '../contract.ts';
import { TOPLISTS_KEY } from '../keys.ts';
import { parse, type ToplistSnapshot } from './documents.ts';
import type { Toplist } from './toplist.ts';

/** The toplists of past days as they are stored, for the rank of last week. */
export class ToplistSnapshots {
  readonly #store: KeyValueStore;
  readonly #toplist: Toplist;
  /** Entries that notify other processes of a change. */
  readonly #changes: () => [Key, Value][];
  #version: Version = 0;

  constructor(store: KeyValueStore, toplist: Toplist, changes: () => [Key, Value][]) {
    this.#store = store;
    this.#toplist = toplist;
    this.#changes = changes;
  }

  async reload(): Promise<void> {
    const [entry] = await this.#store.get([TOPLISTS_KEY]);
    this.#toplist.snapshots = entry ? parse<ToplistSnapshot[]>(entry.value) : [];
    this.#version = entry?.version ?? 0;
  }

  /** Changes the snapshots. If nothing is to change, `decide` returns the same array. */
  async change(decide: () => readonly ToplistSnapshot[]): Promise<void> {
    if (this.#store.isShared) await this.reload();
    for (;;) {
      const kept = decide();
      if (kept === this.#toplist.snapshots) return;
      const version = await this.#store.commit({
        check: [[TOPLISTS_KEY, this.#version]],
        set: [[TOPLISTS_KEY, JSON.stringify(kept)], ...this.#changes()],
      });
      if (version === undefined) {
        await this.reload();
        continue;
      }
      this.#toplist.snapshots = kept;
      this.#version = version;
      return;
    }
  }

  /** After everything was removed from the store. */
  clear(): void {
    this.#version = 0;
  }
}
