import type { Seconds, UserId } from '../../domain/types.ts';
import type { Key, Version } from '../contract.ts';
import { changesFrom } from '../keys.ts';
import { scan } from '../rows.ts';
import type { Directory } from './directory.ts';

/** Changes are looked for again from so long before the last look: clocks differ, and a commit takes its time. */
const OVERLAP: Seconds = 180;
/** Changes stay in the store for so long. */
const KEPT: Seconds = 3600;
const BEGINNING: Key = 'd/';
const END: Key = 'd0';

/** Keeps this process's copy of the directory in step with what other processes store. */
export class ChangeFeed {
  readonly #directory: Directory;
  /** Of the changes since `OVERLAP` before the last look. */
  #seen = new Map<Key, Version>();
  #lookedAt: Seconds;
  #cleanedAt: Seconds;

  constructor(directory: Directory, openedAt: Seconds) {
    this.#directory = directory;
    this.#lookedAt = this.#cleanedAt = openedAt;
  }

  /** Takes over what other processes stored since the last look. */
  async refresh(): Promise<void> {
    const { store, context, graph, recounted } = this.#directory;
    const now = context.now();
    if (now - this.#lookedAt > KEPT - OVERLAP) {
      graph.clear(); // some changes may have been removed
      await this.#directory.load();
    }
    const seen = new Map<Key, Version>();
    const changed = new Set<string>();
    for await (const page of scan(store, { from: changesFrom(this.#lookedAt - OVERLAP), until: END })) {
      for (const { key, version } of page) {
        seen.set(key, version);
        if (this.#seen.get(key) !== version) changed.add(key.split('/').slice(2).join('/'));
      }
    }
    const digests = new Set(recounted);
    recounted.clear();
    for (const what of changed) {
      if (what === 'toplists') await this.#directory.reloadToplists();
      else if (what.startsWith('b/')) graph.drop(what.slice(2) as UserId);
      else {
        graph.drop(what);
        digests.add(what);
      }
    }
    try {
      await this.#directory.reload(digests, true);
    } catch (error) {
      for (const digest of digests) recounted.add(digest);
      throw error;
    }
    this.#seen = seen;
    this.#lookedAt = now;
    await this.#clean(now);
  }

  /** Removes old changes. Whichever process comes first does it; it does no harm where several do. */
  async #clean(now: Seconds): Promise<void> {
    if (now - this.#cleanedAt < 60) return;
    this.#cleanedAt = now;
    const { store } = this.#directory;
    for await (const page of scan(store, { from: BEGINNING, until: changesFrom(now - KEPT) })) {
      await store.commit({ delete: page.map(({ key }) => key) });
    }
  }
}
