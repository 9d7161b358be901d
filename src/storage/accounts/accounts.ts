import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { UserId } from '../../domain/types.ts';
import { KeyedMutex } from '../../mutex.ts';
import { mergeBatches } from '../batch.ts';
import type { Batch, KeyValueStore } from '../contract.ts';
import type { DirectoryChange } from '../directory/account-changes.ts';
import { isStorageError, StorageError, unlessMissing } from '../errors.ts';
import { listAll, readRows } from '../rows.ts';
import { type DeviceRow, DeviceTable } from '../sync/device-table.ts';
import { SubscriptionLists } from '../sync/subscription-lists.ts';
import { devicesPrefix, headKey } from './account-keys.ts';
import { Account, type AccountParts } from './account.ts';
import type { Head } from './head.ts';

/** Approximate size of the account cache. Bytes. */
const CACHE = 64 * 1024 * 1024;
/** Attempts of a write that conflicts with other processes. */
const MAX_ATTEMPTS = 1000;
/** Attempts of a write that is not stored although the store can be read, as when a database is read-only. */
const MAX_FAILURES = 3;

/** The changes of one write to an account. */
export interface Write extends Batch {
  head?: Omit<Partial<Head>, 'revisions' | 'commit'>;
  /** The parts of the account that it changes. */
  parts?: readonly (keyof AccountParts)[];
  /** Changes of the directory in the same commit. */
  directory?: DirectoryChange | undefined;
  /** Updates the account in memory, except its head. Nothing reads the account meanwhile. */
  apply?(): void | Promise<void>;
}

/** The result of a write, and what to store; nothing if `write` is missing. */
export interface Decision<T> {
  result: T;
  write?: Write | undefined;
}

/** A commit whose answer was lost, and the result of its write. */
interface UnconfirmedCommit<T = unknown> {
  commit: string;
  result: T;
  directory: DirectoryChange | undefined;
}

/** Reads and writes accounts, with a cache. */
export class Accounts {
  readonly store: KeyValueStore;
  readonly #mutex = new KeyedMutex<UserId>();
  readonly #cache: LRUCache<UserId, Account>;
  /** By account, the attempts of its last write; resolved when the head is read again. */
  readonly #unconfirmed = new Map<UserId, readonly UnconfirmedCommit[]>();
  readonly #node = randomUUID().slice(0, 8);
  #commits = 0;

  constructor(store: KeyValueStore, maxBytes = CACHE) {
    this.store = store;
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /**
   * Reads a consistent snapshot of an account; `inspect` must be synchronous. A cached account needs a read of the head
   * if the store is shared, else no read at all. Rejects with `missing`.
   */
  async read<T, Part extends keyof AccountParts = never>(
    user: UserId,
    parts: readonly Part[],
    inspect: (account: Account, parts: Pick<AccountParts, Part>) => T,
  ): Promise<T> {
    const inspectAll = (account: Account): T => inspect(account, account.parts as AccountParts);
    const cached = this.#cache.get(user);
    if (cached && hasParts(cached, parts)) {
      if (!this.store.isShared) return inspectAll(cached);
      const [entry] = await this.store.get([headKey(user)]);
      // This process may have written meanwhile.
      if (entry?.version === cached.version && hasParts(cached, parts)) return inspectAll(cached);
    }
    return this.exclusive(user, async () => {
      const account = await this.#open(user);
      do {
        for (const part of parts) await this.part(account, part);
        // The parts were read after the head and may be newer.
      } while (this.store.isShared && !(await this.#refresh(account)) && !hasParts(account, parts));
      return inspectAll(account);
    });
  }

  /** The current head of an account; undefined if the account does not exist. */
  findHead(user: UserId): Promise<Head | undefined> {
    return unlessMissing(this.read(user, [], ({ head }) => head));
  }

  /** A part of an account, loaded if it is not in memory. Call it within `exclusive` or `write`. */
  async part<Part extends keyof AccountParts>(account: Account, part: Part): Promise<AccountParts[Part]> {
    const found = account.parts[part] ?? (await PARTS[part](this.store, account.id));
    if (found === account.parts[part]) return found;
    account.parts[part] = found;
    this.#cacheAccount(account);
    return found;
  }

  /** Runs a step while holding the lock of the account in this process. */
  exclusive<T>(user: UserId, step: () => Promise<T>): Promise<T> {
    return this.#mutex.run(user, step);
  }

  /**
   * Runs a transaction: calls `decide` and commits the result. If another process has changed the account, `decide` is
   * called again, even if it decided to do nothing or threw. Rejects with `missing`, and as `decide` does.
   */
  write<T>(user: UserId, decide: (account: Account) => Decision<T> | Promise<Decision<T>>): Promise<T> {
    return this.exclusive(user, () => this.#write(user, decide));
  }

  async #write<T>(user: UserId, decide: (account: Account) => Decision<T> | Promise<Decision<T>>): Promise<T> {
    const account = await this.#open(user);
    const unconfirmed: UnconfirmedCommit<T>[] = [];
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const decided = await attempt(async () => decide(account));
      const decision = 'result' in decided ? decided.result : undefined;
      if (!decision?.write) {
        if (!this.store.isShared || (await this.#refresh(account))) {
          if ('error' in decided) throw decided.error;
          return decided.result.result;
        }
        const confirmed = await confirm(account, unconfirmed);
        if (confirmed) return confirmed.result;
        continue;
      }
      const { write, result } = decision;
      const commit = `${this.#node}-${(this.#commits += 1)}`;
      const revisions = { ...account.head.revisions };
      for (const part of write.parts ?? []) revisions[part] += 1;
      const head = { ...account.head, ...write.head, revisions, commit };
      const stored = await attempt(() => this.store.commit(toBatch(account, head, write)));
      if ('result' in stored && stored.result !== undefined) {
        account.version = stored.result;
        account.head = head;
        account.isChanging = true;
        await write.apply?.();
        account.isChanging = false;
        await write.directory?.apply();
        this.#cacheAccount(account);
        return result;
      }
      if ('error' in stored) {
        if (!isStorageError(stored.error, 'unavailable')) throw stored.error;
        unconfirmed.push({ commit, result, directory: write.directory });
      }
      const refreshed = await attempt(() => this.#refresh(account));
      const confirmed = 'result' in refreshed ? await confirm(account, unconfirmed) : undefined;
      if (confirmed) return confirmed.result;
      if ('error' in refreshed || unconfirmed.length === MAX_FAILURES) {
        this.#cache.delete(user);
        this.#unconfirmed.set(user, unconfirmed);
        throw [stored, refreshed].find((each) => 'error' in each)!.error;
      }
    }
    throw new StorageError('unavailable', 'other processes keep changing this account; try again later');
  }

  /** Evicts an account from the cache. */
  forget(user: UserId): void {
    this.#cache.delete(user);
  }

  forgetAll(): void {
    this.#cache.clear();
  }

  /** Waits for running steps. */
  drain(): Promise<void> {
    return this.#mutex.drain();
  }

  /** Updates the account in memory from the stored head. Resolves to whether it was up to date already. */
  async #refresh(account: Account): Promise<boolean> {
    const [entry] = await this.store.get([headKey(account.id)]);
    if (!entry) {
      this.#cache.delete(account.id);
      throw noSuchAccount();
    }
    if (entry.version === account.version) return true;
    account.update(entry);
    await this.#resolveUnconfirmed(account);
    return false;
  }

  async #open(user: UserId): Promise<Account> {
    const cached = this.#cache.get(user);
    if (cached) return cached;
    const [entry] = await this.store.get([headKey(user)]);
    if (!entry) throw noSuchAccount();
    const account = new Account(user, entry);
    await this.#resolveUnconfirmed(account);
    this.#cacheAccount(account);
    return account;
  }

  /** Puts an account into the cache. Deletes it first, so that its size is computed again. */
  #cacheAccount(account: Account): void {
    this.#cache.delete(account.id);
    this.#cache.set(account.id, account);
  }

  async #resolveUnconfirmed(account: Account): Promise<void> {
    const unconfirmed = this.#unconfirmed.get(account.id) ?? [];
    this.#unconfirmed.delete(account.id);
    await confirm(account, unconfirmed);
  }
}

/** The account never existed, or was removed. */
const noSuchAccount = (): StorageError => new StorageError('missing', 'the account does not exist');

const PARTS: { [Part in keyof AccountParts]: (store: KeyValueStore, user: UserId) => Promise<AccountParts[Part]> } = {
  async devices(store, user) {
    const entries = await listAll(store, devicesPrefix(user));
    return new DeviceTable(
      readRows<DeviceRow>(entries),
      entries.map(({ key }) => key),
    );
  },
  subscriptions: SubscriptionLists.read,
};

/** Whether these parts are loaded and no write is being applied to them. */
const hasParts = ({ isChanging, parts }: Account, wanted: readonly (keyof AccountParts)[]): boolean =>
  !isChanging && wanted.every((part) => parts[part] !== undefined);

const toBatch = ({ id, version }: Account, head: Head, write: Write): Batch => {
  const key = headKey(id);
  const ofHead: Batch = { check: [[key, version]], set: [[key, JSON.stringify(head)]] };
  return mergeBatches([ofHead, write, write.directory ?? {}]);
};

/**
 * Returns the commit that was stored, if any, and applies it to the directory in memory. At most one can be stored, maybe
 * late: each checks the head, which another one would have changed.
 */
async function confirm<Commit extends UnconfirmedCommit>(
  { head }: Account,
  unconfirmed: readonly Commit[],
): Promise<Commit | undefined> {
  const confirmed = unconfirmed.find(({ commit }) => commit === head.commit);
  await confirmed?.directory?.apply();
  return confirmed;
}

/** The result or the error of a step. */
async function attempt<T>(step: () => Promise<T>): Promise<{ result: T } | { error: unknown }> {
  try {
    return { result: await step() };
  } catch (error) {
    return { error };
  }
}
