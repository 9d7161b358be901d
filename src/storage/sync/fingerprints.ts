import type { EpisodeAction, Stamp, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { Key, KeyValueStore } from '../contract.ts';
import { readChunk, scanActions } from './action-log.ts';

/** Maximum number of fingerprints in memory. */
const MAX = 500_000;
/** Maximum number of uploads after the last lookup. */
const MAX_UNUSED = 100;

const NONE: readonly Key[] = [];

/**
 * Index of stored actions by a short hash. It covers the uploads with a range of stamps: those since it was created, and
 * earlier ones once they were needed.
 */
export class Fingerprints {
  /** The stamps that are covered, both inclusive. */
  #first: Stamp;
  #last: Stamp;
  /** Keys of the chunks by fingerprint. Different actions may have the same one. */
  readonly #chunks = new Map<number, readonly Key[]>();
  /** Not in `#chunks` yet: inserted at the next lookup, which most accounts never need. */
  #added: { hashes: number[]; chunks: readonly Key[] }[] = [];
  /** Number of fingerprints. */
  size = 0;

  /** An empty index of the uploads after this stamp. */
  constructor(last: Stamp) {
    this.#first = last + 1;
    this.#last = last;
  }

  /** Whether an empty index should replace this one: it is too large, or the last uploads did not need it. */
  get isDisposable(): boolean {
    return this.size > MAX || this.#added.length > MAX_UNUSED;
  }

  /** Adds an upload; `before` is the stamp of the previous one. Does nothing if that is not covered. */
  add(actions: readonly EpisodeAction[], chunks: readonly Key[], stamp: Stamp, before: Stamp): void {
    if (this.#last !== before) return;
    this.#last = stamp;
    this.#add(actions, chunks);
  }

  /** Loads what is missing of the uploads with these stamps, both inclusive. `last` is the newest stamp of all. */
  async load(store: KeyValueStore, user: UserId, first: Stamp, last: Stamp): Promise<void> {
    await this.#read(store, user, [this.#last + 1, last]);
    this.#last = last;
    await this.#read(store, user, [first, this.#first - 1]);
    this.#first = Math.min(this.#first, first);
  }

  async #read(store: KeyValueStore, user: UserId, [first, last]: [Stamp, Stamp]): Promise<void> {
    if (first > last) return;
    for await (const page of scanActions(store, user, [first, last])) {
      await eachInSlices(page, (chunk) => this.#add(readChunk(chunk).actions, [chunk.key]));
    }
  }

  #add(actions: readonly EpisodeAction[], chunks: readonly Key[]): void {
    this.#added.push({ hashes: actions.map(fingerprint), chunks });
    this.size += actions.length;
  }

  /** Keys of the chunks that may contain one of these actions. */
  async chunksWith(actions: readonly EpisodeAction[]): Promise<Key[]> {
    const added = this.#added;
    this.#added = [];
    await eachInSlices(added, ({ hashes, chunks }) => {
      for (const hash of hashes) {
        const known = this.#chunks.get(hash);
        if (known?.at(-1) === chunks.at(-1)) continue; // a hash that occurs often in this upload
        this.#chunks.set(hash, known ? [...known, ...chunks] : chunks); // one array for all, as there may be many
      }
    });
    const found = new Set<readonly Key[]>(); // few, as most actions of an upload have the same
    await eachInSlices(actions, (action) => found.add(this.#chunks.get(fingerprint(action)) ?? NONE));
    const chunks = new Set<Key>();
    await eachInSlices(found, (keys) => keys.forEach((key) => chunks.add(key)));
    return [...chunks];
  }
}

/** Characters at the end of a text, where those of different episodes differ most. */
const HASHED = 24;

/** A 32-bit hash (FNV-1a), the same for duplicates. Computed for each new action: must be fast. */
function fingerprint({ episode, device = '', timestamp, action, play }: EpisodeAction): number {
  let hash = 0x811c9dc5 ^ timestamp ^ (action.charCodeAt(0) << 16);
  hash = Math.imul(hash, 0x01000193) ^ (play?.position ?? -1);
  for (const text of [episode, device]) {
    for (let at = Math.max(0, text.length - HASHED); at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
  }
  return hash | 0;
}
