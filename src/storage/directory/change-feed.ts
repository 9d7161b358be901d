import type { Seconds, UserId } from '../../domain/types.ts';
import type { Key, Version } from '../contract.ts';
import { changesFrom } from '../keys.ts';
import { scan } from '../rows.ts';
import type { Directory } from './directory.ts';

/** Each refresh reads this far back before the last one, because clocks differ and commits take time. */
const OVERLAP: Seconds = 180;
/** How long changes stay in the store. */
const RETENTION: Seconds = 3600;
const BEGINNING: Key = 'd/';
const END: Key = 'd0';

/** Keeps this process's copy of the directory in sync with the changes of other processes. */
export class ChangeFeed {
  readonly #directory: Directory;
  /** Changes that were already applied, from `OVERLAP` before the last refresh on. */
  #seen = new Map<Key, Version>();
  #refreshedAt: Seconds;
  #cleanedAt: Seconds;

  constructor(directory: Directory, openedAt: Seconds) {
    this.#directory = directory;
    this.#refreshedAt = this.#cleanedAt = openedAt;
  }

  /** Applies what other processes have stored since the last refresh. */
  async refresh(): Promise<void> {
    const { store, context, graph, dirtyCounts } = this.#directory;
    const now = context.now();
    if (now - this.#refreshedAt > RETENTION - OVERLAP) {
      graph.clear(); // some changes may have been removed unseen
      await this.#directory.reloadAll();
    }
    const seen = new Map<Key, Version>();
    const changed = new Set<string>();
    for await (const page of scan(store, { from: changesFrom(this.#refreshedAt - OVERLAP), until: END })) {
      for (const { key, version } of page) {
        seen.set(key, version);
        if (this.#seen.get(key) !== version) changed.add(key.split('/').slice(2).join('/'));
      }
    }
    const digests = new Set(dirtyCounts);
    dirtyCounts.clear();
    for (const what of changed) {
      if (what === 'toplists') await this.#directory.snapshots.reload();
      else if (what.startsWith('b/')) graph.drop(what.slice(2) as UserId);
      else {
        graph.drop(what);
        digests.add(what);
      }
    }
    try {
      await this.#directory.reload(digests, true);
    } catch (error) {
      for (const digest of digests) dirtyCounts.add(digest);
      throw error;
    }
    this.#seen = seen;
    this.#refreshedAt = now;
    await this.#clean(now);
  }

  /** Removes old changes. Any process may do this; it is safe if several do at once. */
  async #clean(now: Seconds): Promise<void> {
    if (now - this.#cleanedAt < 60) return;
    this.#cleanedAt = now;
    const { store } = this.#directory;
    for await (const page of scan(store, { from: BEGINNING, until: changesFrom(now - RETENTION) })) {
      await store.commit({ delete: page.map(({ key }) => key) });
    }
  }
}
