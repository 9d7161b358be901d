import type { Seconds, UserId } from '../../domain/types.ts';
import type { Batch, Key, Value, Version } from '../contract.ts';
import type { Core } from '../core.ts';
import { StorageError } from '../errors.ts';
import { stagedKey } from './account-keys.ts';

/** Approximate characters per commit. */
const COMMIT_SIZE = 1024 * 1024;
/** Keys per commit. */
const MAX_KEYS = 1000;
/** How often the staged record is renewed, so that a slow import does not count as abandoned. */
const RENEWAL: Seconds = 600;

/** Writes or removes an account in batches while it is staged: it is invisible, and only this process works on it. */
export class StagedWriter {
  readonly #core: Core;
  readonly #key: Key;
  #version: Version;
  #renewedAt: Seconds = 0;
  /** Entries of the next commit. */
  #pending: (readonly [Key, Value])[] = [];
  #size = 0;

  /** `version`: of the staged record; 0 if there is none yet. */
  constructor(core: Core, user: UserId, version: Version = 0) {
    this.#core = core;
    this.#key = stagedKey(user);
    this.#version = version;
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
    if (!(await this.commit({ set }))) throw interrupted();
  }

  /**
   * Commits a batch that also checks and renews the staged record. False if a check fails, as when another process has
   * taken the account over.
   */
  async commit({ check = [], set = [], delete: deleted = [] }: Batch): Promise<boolean> {
    const renewedAt = this.#core.context.now();
    const version = await this.#core.store.commit({
      check: [[this.#key, this.#version], ...check],
      set: [...set, [this.#key, JSON.stringify({ renewedAt })]],
      delete: deleted,
    });
    if (version === undefined) return false;
    this.#version = version;
    this.#renewedAt = renewedAt;
    return true;
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
