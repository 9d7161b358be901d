import { setImmediate } from 'node:timers/promises';
import {
  type Batch,
  eachInSlices,
  type Entry,
  type Key,
  type KeyValueStore,
  type Log,
  type Range,
  StorageError,
  type Version,
} from '../../src/plugin.ts';
import { Checkpoint } from './checkpoint.ts';
import { createFolder, toStorageError } from './durable-files.ts';
import { Files, LoadedEntries } from './files.ts';
import type { Change, Source } from './group.ts';
import { Groups } from './groups.ts';
import { listFiles } from './layout.ts';
import { KEYS_AT_ONCE, MANY_KEYS } from './limits.ts';
import { takeLock } from './lock.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/**
 * Opens the store in a folder. Rejects with `busy` if another process has it open, and with `corrupt` if its
 * write-ahead log is damaged; other damage is detected when a file is read.
 */
export async function openStore(folder: string, log: Log): Promise<KeyValueStore> {
  await createFolder(folder);
  const releaseLock = await takeLock(folder);
  try {
    return await JsonStore.open(folder, log, releaseLock);
  } catch (error) {
    await releaseLock();
    throw toStorageError(error, folder);
  }
}

/** A change that is not durable yet, and the promise of its commit. */
interface Pending {
  change: Change;
  durable: Promise<void>;
}

/** Reads see durable commits only; checks and sums also see pending commits. */
class JsonStore implements KeyValueStore {
  readonly isShared = false;
  readonly #groups: Groups;
  readonly #files: Files;
  readonly #releaseLock: () => Promise<void>;
  #log!: WriteAheadLog;
  #checkpoint: Checkpoint | undefined;
  readonly #pending = new Map<Key, Pending>();
  /** The running commit of many keys: other commits wait for it. */
  #large: Promise<unknown> | undefined;
  /** Set while it is applied: reads must wait. */
  #applying: Promise<void> | undefined;
  /** Operations that wait for files. */
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  private constructor(groups: Groups, files: Files, releaseLock: () => Promise<void>) {
    this.#groups = groups;
    this.#files = files;
    this.#releaseLock = releaseLock;
  }

  static async open(folder: string, report: Log, releaseLock: () => Promise<void>): Promise<JsonStore> {
    const found = await listFiles(folder);
    const groups = new Groups(found);
    const files = new Files(folder, groups);
    const store = new JsonStore(groups, files, releaseLock);
    store.#log = await WriteAheadLog.open(folder, found.length === 0, {
      apply: (changes) => store.#apply(changes),
      discard: () => store.#pending.clear(),
    });
    store.#checkpoint = new Checkpoint(groups, files, store.#log, report);
    // Not awaited: until it is done, the log has all changes.
    if (groups.changeCount > 0) void store.#checkpoint.run();
    else await store.#log.removeOlder();
    return store;
  }

  async get(keys: readonly Key[]): Promise<(Entry | undefined)[]> {
    await this.#ready();
    return this.#loaded((source) => keys.map((key) => this.#groups.find(key, source)), same);
  }

  async list(range: Range): Promise<Entry[]> {
    await this.#ready();
    return this.#loaded((source) => this.#groups.list(range, source), same);
  }

  /** Yields while commits are being written, so that reads from memory in a loop do not delay them. */
  async #ready(): Promise<void> {
    this.#requireOpen();
    if (this.#log.isBusy) await setImmediate();
  }

  async commit(batch: Batch): Promise<Version | undefined> {
    if (this.#checkpoint!.isBehind) await this.#checkpoint!.run();
    while (this.#large) await this.#large;
    this.#requireOpen();
    if (isLarge(batch)) return this.#commitLarge(batch);
    const { check = [] } = batch;
    return this.#loaded(
      (source) => this.#evaluate(batch, source),
      async ({ areMet, sums }) => {
        if (this.#large) return this.commit(batch);
        if (!areMet.includes(false)) return this.#write(batch, sums);
        // A caller that reads again must see the commit that made the check fail.
        await Promise.allSettled(check.map(([key]) => this.#pending.get(key)?.durable));
        return undefined;
      },
    );
  }

  /**
   * Runs while no other commit does: checks and sums are evaluated in slices, and the data must not change meanwhile.
   */
  #commitLarge(batch: Batch): Promise<Version | undefined> {
    const storing = this.#storeLarge(batch).finally(() => {
      this.#large = undefined;
      this.#running.delete(storing);
    });
    this.#large = storing.catch(() => undefined);
    this.#running.add(storing);
    return storing;
  }

  async #storeLarge(batch: Batch): Promise<Version | undefined> {
    await this.#log.drain();
    const { check = [], sum = [] } = batch;
    const sums: [Key, number][] = [];
    const entries = new LoadedEntries(this.#files); // shared, so that each file is loaded once
    for (let at = 0; at < Math.max(check.length, sum.length); at += KEYS_AT_ONCE) {
      await setImmediate();
      const part = { check: check.slice(at, at + KEYS_AT_ONCE), sum: sum.slice(at, at + KEYS_AT_ONCE) };
      const { areMet, sums: found } = await this.#loaded((source) => this.#evaluate(part, source), same, entries);
      if (areMet.includes(false)) return undefined;
      sums.push(...found);
    }
    if (this.#log.broken) throw this.#log.broken;
    const version = this.#log.nextVersion();
    const changes: Change[] = [];
    await eachInSlices(changesOf(batch, sums, version), (change) => changes.push(change));
    await this.#log.append(version, changes);
    return version;
  }

  /** Evaluates checks and sums. */
  #evaluate({ check = [], sum = [] }: Batch, source: Source): { areMet: boolean[]; sums: [Key, number][] } {
    return {
      areMet: check.map(([key, version]) => (this.#newest(key, source)?.version ?? 0) === version),
      sums: sum.map(([key, amount]) => [key, add(key, this.#newest(key, source)?.value, amount)]),
    };
  }

  #newest(key: Key, source: Source): Entry | undefined {
    const change = this.#pending.get(key)?.change ?? this.#groups.find(key, source);
    return change?.value === undefined ? undefined : (change as Entry);
  }

  async #write(batch: Batch, sums: readonly (readonly [Key, number])[]): Promise<Version> {
    if (this.#log.broken) throw this.#log.broken;
    const version = this.#log.nextVersion();
    const changes = [...changesOf(batch, sums, version)];
    const durable = this.#log.append(version, changes);
    for (const change of changes) this.#pending.set(change.key, { change, durable });
    await durable;
    return version;
  }

  #apply(changes: readonly Change[]): Promise<void> | void {
    if (changes.length > MANY_KEYS) return (this.#applying ??= this.#applyInSlices(changes));
    for (const change of changes) {
      this.#groups.apply(change);
      if (this.#pending.get(change.key)?.change === change) this.#pending.delete(change.key);
    }
    this.#checkpoint?.schedule();
  }

  async #applyInSlices(changes: readonly Change[]): Promise<void> {
    await eachInSlices(inBatches(changes), (part) => this.#groups.applyAll(part));
    this.#applying = undefined;
    this.#checkpoint?.schedule();
  }

  /** Evaluates entries, loads missing ones, and uses the result synchronously. */
  #loaded<Found, T>(
    evaluate: (source: Source) => Found,
    use: (found: Found) => T | Promise<T>,
    entries = new LoadedEntries(this.#files),
  ): T | Promise<T> {
    if (this.#applying) return this.#applying.then(() => this.#loaded(evaluate, use));
    const found = evaluate(entries);
    if (entries.missing === 0) return use(found);
    const load = async (): Promise<T> => {
      for (;;) {
        await entries.load();
        while (this.#applying) await this.#applying;
        const loaded = evaluate(entries);
        if (entries.missing === 0) return use(loaded);
      }
    };
    const loading = load().finally(() => this.#running.delete(loading));
    this.#running.add(loading);
    return loading;
  }

  #requireOpen(): void {
    if (this.#closing) throw new StorageError('unavailable', 'the storage is closed');
  }

  async ping(): Promise<void> {
    this.#requireOpen();
    if (this.#log.broken) throw this.#log.broken;
  }

  async verify(): Promise<void> {
    for (const part of this.#groups.parts()) {
      this.#requireOpen();
      await this.#files.read(part);
    }
    this.#requireOpen();
    await this.#log.verify();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#log.drain();
    await this.#checkpoint!.close();
    await this.#log.close();
    await this.#releaseLock();
  }
}

const same = <T>(found: T): T => found;

const isLarge = ({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): boolean =>
  check.length + set.length + deleted.length + sum.length > MANY_KEYS;

function* changesOf(
  { set = [], delete: deleted = [] }: Batch,
  sums: readonly (readonly [Key, number])[],
  version: Version,
): Iterable<Change> {
  for (const [key, value] of set) yield { key, value, version };
  for (const key of deleted) yield { key, value: undefined, version };
  for (const [key, sum] of sums) yield { key, value: String(sum), version };
}

function* inBatches(changes: readonly Change[]): Iterable<readonly Change[]> {
  for (let at = 0; at < changes.length; at += KEYS_AT_ONCE) yield changes.slice(at, at + KEYS_AT_ONCE);
}

function add(key: Key, value: string | undefined, amount: number): number {
  const sum = Number(value ?? 0) + amount;
  if (Number.isSafeInteger(sum)) return sum;
  throw new StorageError('corrupt', `${key} is not a whole number, so ${amount} cannot be added`);
}
