import type { Seconds, UserId } from '../../domain/types.ts';
import { Mutex } from '../../mutex.ts';
import type { Key, Version } from '../contract.ts';
import type { UrlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { Directory } from './directory.ts';
import { changeIn, changesBefore, changesFrom, subscriptionKey } from './keys.ts';

/** How often a process reads the changes of others. Milliseconds. */
const INTERVAL = 5000;
/** A refresh is overdue if the last one is older than this. */
const OVERDUE: Seconds = 10;
/** Each refresh reads this far back before the last one, because clocks differ and commits take time. */
const OVERLAP: Seconds = 180;
/** How long changes stay in the store. */
const RETENTION: Seconds = 3600;

/** Keeps this process's copy of the directory in sync with the changes of other processes. */
export class Refresh {
  readonly #directory: Directory;
  /** Only one task at a time may read subscriptions: see `Directory.changedHere`. */
  readonly #mutex = new Mutex();
  /** Changes that were already applied, from `OVERLAP` before the last refresh on. */
  #seen = new Map<Key, Version>();
  #refreshedAt: Seconds;
  #cleanedAt: Seconds;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  /** Must be created before the directory is loaded. */
  constructor(directory: Directory) {
    this.#directory = directory;
    this.#refreshedAt = this.#cleanedAt = directory.context.now();
  }

  /** Refreshes every few seconds, if the store is shared. */
  start(): void {
    if (!this.#directory.store.isShared) return;
    const refresh = async (): Promise<void> => {
      try {
        await this.run();
        this.#isFailing = false;
      } catch (error) {
        const { log } = this.#directory.context;
        if (!this.#isFailing) log('warn', `changes of other servers cannot be read: ${(error as Error).message}`);
        this.#isFailing = true;
      }
    };
    this.#timer = setInterval(() => this.#mutex.isLocked || void refresh(), INTERVAL).unref();
  }

  /** Waits for a running refresh. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#mutex.drain();
  }

  /** Applies what other processes have stored since the last refresh. Does nothing if there are no others. */
  async run(): Promise<void> {
    if (this.#directory.store.isShared) await this.#mutex.run(() => this.#run());
  }

  /** Refreshes if that is overdue, as after a pause of this process. */
  async runIfOverdue(): Promise<void> {
    if (this.#directory.context.now() - this.#refreshedAt > OVERDUE) await this.run();
  }

  async #run(): Promise<void> {
    const { store, context, changedHere } = this.#directory;
    const now = context.now();
    // Some changes may have been removed unseen.
    if (now - this.#refreshedAt > RETENTION - OVERLAP) await this.#directory.reloadAll();
    const seen = new Map<Key, Version>();
    const digests = new Set<UrlDigest>();
    const subscriptions = new Set(changedHere);
    changedHere.clear();
    try {
      for await (const page of scan(store, changesFrom(this.#refreshedAt - OVERLAP))) {
        for (const { key, version } of page) {
          seen.set(key, version);
          if (this.#seen.get(key) === version) continue;
          const change = changeIn(key);
          const [digest, user] = change.split('/') as [UrlDigest, UserId?];
          if (change === 'toplists') await this.#directory.reloadToplists();
          else if (user === undefined) digests.add(digest);
          else subscriptions.add(subscriptionKey(digest, user));
        }
      }
      await this.#directory.readSubscriptions(subscriptions);
    } catch (error) {
      for (const key of subscriptions) changedHere.add(key);
      throw error;
    }
    await this.#directory.reload(digests);
    this.#seen = seen;
    this.#refreshedAt = now;
    await this.#clean(now);
  }

  /** Removes old changes. Any process may do this; it is safe if several do at once. */
  async #clean(now: Seconds): Promise<void> {
    if (now - this.#cleanedAt < 60) return;
    this.#cleanedAt = now;
    const { store } = this.#directory;
    for await (const page of scan(store, changesBefore(now - RETENTION))) {
      await store.commit({ delete: page.map(({ key }) => key) });
    }
  }
}
