import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Seconds, UserId } from '../domain/types.ts';
import { KeyedMutex } from '../keyed-mutex.ts';
import { Account, type AccountParts } from './account.ts';
import { devicesPrefix, headKey, subscriptionsPrefix } from './account-keys.ts';
import type { Batch, Key, KeyValueStore, Value, Version } from './contract.ts';
import { type DeviceRow, DeviceTable } from './device-table.ts';
import type { DirectoryChange } from './directory-writer.ts';
import { isStorageError, StorageError } from './errors.ts';
import { noSuchAccount } from './failures.ts';
import type { Head } from './head.ts';
import { under } from './keys.ts';
import { listAll, readRows } from './rows.ts';
import { SubscriptionLists } from './subscription-lists.ts';

/** Bytes of accounts that stay in memory, about. */
const CACHE = 64 * 1024 * 1024;
/** So often a write begins anew because another process was quicker. */
const MAX_TRIES = 1000;

/** What one write does to an account. */
export interface Write {
  head?: Partial<Head>;
  check?: readonly (readonly [Key, Version])[];
  set?: readonly (readonly [Key, Value])[];
  delete?: readonly Key[];
  /** What the directory stores with it. */
  directory?: DirectoryChange | undefined;
  /** Brings the account in memory up to date, but for its head; nobody looks at it meanwhile. */
  apply?(): void | Promise<void>;
}

/** What a write comes to, given the account as it is. Without a `write` nothing is stored. */
export interface Decision<T> {
  result: T;
  write?: Write | undefined;
}

/** The batch of a write whose answer was lost, and what it came to. */
interface Doubt<T = unknown> {
  commit: string;
  result: T;
  directory: DirectoryChange | undefined;
}

/** Reads and writes accounts, and keeps the last ones in memory. */
export class Accounts {
  readonly store: KeyValueStore;
  readonly #mutex = new KeyedMutex<UserId>();
  readonly #cache: LRUCache<UserId, Account>;
  /** By account: to be settled when its head is read again. */
  readonly #doubts = new Map<UserId, Doubt>();
  /** When the write began that is under way. */
  readonly #writing = new Map<UserId, Seconds>();
  readonly #now: () => Seconds;
  readonly #node = randomUUID().slice(0, 8);
  #commits = 0;

  constructor(store: KeyValueStore, now: () => Seconds, maxBytes = CACHE) {
    this.store = store;
    this.#now = now;
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /**
   * Looks at an account as it is now; `look` must not wait. Where other processes may write, that takes a read of the
   * head; where none do, an account in memory takes none. Rejects with `missing`.
   */
  async read<T, Part extends keyof AccountParts = never>(
    user: UserId,
    parts: readonly Part[],
    look: (account: Account, parts: Pick<AccountParts, Part>) => T,
  ): Promise<T> {
    const lookWith = (account: Account): T => look(account, account.parts as AccountParts);
    const cached = this.#cache.get(user);
    if (cached && canLook(cached, parts)) {
      if (!this.store.isShared) return lookWith(cached);
      const [entry] = await this.store.get([headKey(user)]);
      // A write of this process may have come between.
      if (entry?.version === cached.version && canLook(cached, parts)) return lookWith(cached);
    }
    return this.exclusive(user, async () => {
      let isCurrent = !this.#cache.has(user) || !this.store.isShared;
      const account = await this.#open(user);
      for (;;) {
        if (isCurrent && hasAll(account, parts)) return lookWith(account);
        for (const part of parts) await this.part(account, part);
        // What was read after the head may be newer than it.
        isCurrent = !this.store.isShared || (await this.#isCurrent(account)) || hasAll(account, parts);
      }
    });
  }

  /** A part of an account, read where it is not in memory. For those in `exclusive` or `write`. */
  async part<Part extends keyof AccountParts>(account: Account, part: Part): Promise<AccountParts[Part]> {
    const found = account.parts[part] ?? (await PARTS[part](this.store, account.id));
    if (found === account.parts[part]) return found;
    account.parts[part] = found;
    this.#keep(account);
    return found;
  }

  /** Runs a step when no other of the same account runs in this process. */
  exclusive<T>(user: UserId, step: () => Promise<T>): Promise<T> {
    return this.#mutex.run(user, step);
  }

  /**
   * Decides what to do and does it. Where another process was quicker it decides again, also when the decision was to do
   * nothing or to refuse. Rejects with `missing`, and as `decide` does.
   */
  write<T>(user: UserId, decide: (account: Account) => Decision<T> | Promise<Decision<T>>): Promise<T> {
    return this.exclusive(user, async () => {
      this.#writing.set(user, this.#now());
      try {
        return await this.#write(user, decide);
      } finally {
        this.#writing.delete(user);
      }
    });
  }

  /** When the write of an account began that is under way in this process; undefined where none is. */
  writingSince(user: UserId): Seconds | undefined {
    return this.#writing.get(user);
  }

  async #write<T>(user: UserId, decide: (account: Account) => Decision<T> | Promise<Decision<T>>): Promise<T> {
    const account = await this.#open(user);
    const commit = `${this.#node}-${(this.#commits += 1)}`;
    let doubt: Doubt<T> | undefined;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const decided = await attempt(async () => decide(account));
      const decision = 'result' in decided ? decided.result : undefined;
      if (!decision?.write) {
        if (this.store.isShared && !(await this.#isCurrent(account))) continue;
        if ('error' in decided) throw decided.error;
        return decided.result.result;
      }
      const { write, result } = decision;
      const head = { ...account.head, ...write.head, commit };
      const stored = await attempt(() => this.store.commit(toBatch(account, head, write)));
      if ('result' in stored && stored.result !== undefined) {
        account.version = stored.result;
        account.head = head;
        account.isChanging = true;
        await write.apply?.();
        account.isChanging = false;
        await write.directory?.apply();
        this.#keep(account);
        return result;
      }
      if ('error' in stored) {
        if (!isStorageError(stored.error, 'unavailable')) throw stored.error;
        doubt = { commit, result, directory: write.directory };
      }
      // At most one try is stored: each checks the head, which the other would have changed.
      const isOpen = await attempt(() => this.#isCurrent(account));
      if ('error' in isOpen) {
        this.#cache.delete(user);
        if (doubt) this.#doubts.set(user, doubt);
        throw 'error' in stored ? stored.error : isOpen.error;
      }
      if (doubt && account.head.commit === commit) {
        await doubt.directory?.apply();
        return doubt.result;
      }
    }
    throw new StorageError('unavailable', 'other processes keep changing this account; try again later');
  }

  /** Forgets what is in memory of an account. */
  forget(user: UserId): void {
    this.#cache.delete(user);
  }

  forgetAll(): void {
    this.#cache.clear();
  }

  /** Waits for what is under way. */
  settle(): Promise<void> {
    return this.#mutex.drain();
  }

  /** Whether the account in memory is the one that is stored; where it is not, it goes on from the stored head. */
  async #isCurrent(account: Account): Promise<boolean> {
    const [entry] = await this.store.get([headKey(account.id)]);
    if (!entry) this.#cache.delete(account.id);
    if (!entry) throw noSuchAccount();
    if (entry.version === account.version) return true;
    account.update(entry);
    await this.#settleDoubt(account);
    this.#keep(account);
    return false;
  }

  async #open(user: UserId): Promise<Account> {
    const cached = this.#cache.get(user);
    if (cached) return cached;
    const [entry] = await this.store.get([headKey(user)]);
    if (!entry) throw noSuchAccount();
    const account = new Account(user, entry);
    await this.#settleDoubt(account);
    this.#keep(account);
    return account;
  }

  /** Keeps it in memory, and counts what it takes now: of what is there already the cache would not. */
  #keep(account: Account): void {
    this.#cache.delete(account.id);
    this.#cache.set(account.id, account);
  }

  async #settleDoubt({ id, head }: Account): Promise<void> {
    const doubt = this.#doubts.get(id);
    this.#doubts.delete(id);
    if (doubt?.commit === head.commit) await doubt.directory?.apply();
  }
}

const PARTS: { [Part in keyof AccountParts]: (store: KeyValueStore, user: UserId) => Promise<AccountParts[Part]> } = {
  async devices(store, user) {
    const entries = await listAll(store, under(devicesPrefix(user)));
    return new DeviceTable(
      readRows<DeviceRow>(entries),
      entries.map(({ key }) => key),
    );
  },
  subscriptions: async (store, user) =>
    SubscriptionLists.read(user, await listAll(store, under(subscriptionsPrefix(user)))),
};

const hasAll = ({ parts }: Account, wanted: readonly (keyof AccountParts)[]): boolean =>
  wanted.every((part) => parts[part] !== undefined);

/** Whether an account may be looked at outside `exclusive`. */
const canLook = (account: Account, parts: readonly (keyof AccountParts)[]): boolean =>
  !account.isChanging && hasAll(account, parts);

const toBatch = ({ id, version }: Account, head: Head, write: Write): Batch => ({
  check: [[headKey(id), version], ...(write.check ?? [])],
  set: [[headKey(id), JSON.stringify(head)], ...(write.set ?? []), ...(write.directory?.set ?? [])],
  delete: [...(write.delete ?? []), ...(write.directory?.delete ?? [])],
  sum: write.directory?.sum ?? [],
});

/** What a step came to, or what it threw. */
async function attempt<T>(step: () => Promise<T>): Promise<{ result: T } | { error: unknown }> {
  try {
    return { result: await step() };
  } catch (error) {
    return { error };
  }
}
