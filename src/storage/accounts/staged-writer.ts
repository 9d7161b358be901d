import type { Seconds, UserId } from '../../domain/types.ts';
import { stagedKey } from './account-keys.ts';
import type { Key, Value, Version } from '../contract.ts';
import type { Core } from './core.ts';
import { StorageError } from '../errors.ts';
import { stagedRecord } from './removal.ts';

/** Approximate characters per commit. */
const COMMIT_SIZE = 1024 * 1024;
/** Keys per commit. */
const MAX_KEYS = 1000;
/** How often the staged record is renewed, so that a slow import does not count as abandoned. */
const RENEWAL: Seconds = 600;

/** Writes an account in batches while it is staged: it is invisible, and only this process works on it. */
export class StagedWriter {
  readonly #core: Core;
  readonly #key: Key;
  #version: Version = 0;
  #renewedAt: Seconds = 0;
  /** Entries of the next commit. */
  #pending: (readonly [Key, Value])[] = [];
  #size = 0;

  constructor(core: Core, user: UserId) {
    this.#core = core;
    this.#key = stagedKey(user);
  }

  /** Version of the staged record. The commit that publishes or removes the account must check it. */
  get version(): Version {
    return this.#version;
  }

  put(entries: readonly (readonly [Key, Value])[]): void {
    for (const entry of entries) {
      this.#pending.push(entry);
      this.#size += entry[1].length;
    }
  }

  /** Commits the pending entries if they fill a batch, or if the staged record must be renewed. */
  async flushIfDue(): Promise<void> {
    const isFull = this.#size > COMMIT_SIZE || this.#pending.length > MAX_KEYS;
    if (isFull || this.#core.context.now() >= this.#renewedAt + RENEWAL) await this.flush();
  }

  /**
   * Commits the pending entries and renews the staged record. Rejects with `unavailable` if another process has taken the
   * account over.
   */
  async flush(): Promise<void> {
    const set = this.#pending;
    this.#pending = [];
    this.#size = 0;
    const version = await this.#core.store.commit({
      check: [[this.#key, this.#version]],
      set: [...set, [this.#key, stagedRecord(this.#core)]],
    });
    if (version === undefined) throw interrupted();
    this.#version = version;
    this.#renewedAt = this.#core.context.now();
  }

  /** Rejects with `unavailable` if another process has taken the account over. */
  async requireCurrent(): Promise<void> {
    const [entry] = await this.#core.store.get([this.#key]);
    if (entry?.version !== this.#version) throw interrupted();
  }
}

const interrupted = (): StorageError =>
  new StorageError(
    'unavailable',
    'the import was stopped, because it stalled for too long or the storage was cleared; run it again',
  );
