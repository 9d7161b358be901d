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
  #renewedAt: Seconds;
  /** Entries of the next commit. */
  #pending: (readonly [Key, Value])[] = [];
  #size = 0;

  /** `version`: of the staged record; 0 if there is none yet. */
  constructor(core: Core, user: UserId, version: Version = 0) {
    this.#core = core;
    this.#key = stagedKey(user);
    this.#version = version;
    this.#renewedAt = core.context.now();
  }

  /** Whether anything was committed. */
  get isStaged(): boolean {
    return this.#version !== 0;
  }

  put(entries: readonly (readonly [Key, Value])[]): void {
    for (const entry of entries) {
      this.#pending.push(entry);
      this.#size += entry[1].length;
    }
  }

  /**
   * Commits the pending entries if they fill a batch, or if the staged record must be renewed. Rejects with `unavailable`
   * if another process has taken the account over.
   */
  async flushIfDue(): Promise<void> {
    const isFull = this.#size > COMMIT_SIZE || this.#pending.length > MAX_KEYS;
    const isOld = this.#core.context.now() >= this.#renewedAt + RENEWAL;
    if ((isFull || isOld) && !(await this.commit({}))) throw interrupted();
  }

  /**
   * Commits the pending entries with a batch that also checks and renews the staged record, or removes it if it is the
   * last one. False if a check fails, as when another process has taken the account over.
   */
  async commit({ check = [], set = [], delete: deleted = [] }: Batch, isLast = false): Promise<boolean> {
    const renewedAt = this.#core.context.now();
    const record = [this.#key, JSON.stringify({ renewedAt })] as const;
    const version = await this.#core.store.commit({
      check: [[this.#key, this.#version], ...check],
      set: [...this.#pending, ...set, ...(isLast ? [] : [record])],
      delete: [...deleted, ...(isLast ? [this.#key] : [])],
    });
    if (version === undefined) return false;
    [this.#version, this.#renewedAt] = [version, renewedAt];
    [this.#pending, this.#size] = [[], 0];
    return true;
  }

  /** Rejects with `unavailable` if another process has taken the account over. */
  async requireCurrent(): Promise<void> {
    const [entry] = await this.#core.store.get([this.#key]);
    if ((entry?.version ?? 0) !== this.#version) throw interrupted();
  }
}

const interrupted = (): StorageError =>
  new StorageError(
    'unavailable',
    'the import was stopped, because it stalled for too long or the storage was cleared; run it again',
  );
