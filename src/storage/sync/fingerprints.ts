import type { EpisodeAction, Stamp, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { Key, KeyValueStore } from '../contract.ts';
import { readChunk, scanActions } from './action-log.ts';

/** Index of stored actions by a short hash. It covers a range of stamps, which grows when earlier or later ones are needed. */
export class Fingerprints {
  /** The stamps that are covered, both inclusive. */
  #first: Stamp;
  #last: Stamp;
  /** Keys of the chunks by fingerprint. Different actions may have the same one. */
  readonly #chunks = new Map<number, Key | Key[]>();

  /** An empty index before the first upload after this stamp. */
  constructor(last: Stamp) {
    this.#first = last + 1;
    this.#last = last;
  }

  /** Number of fingerprints. */
  get size(): number {
    return this.#chunks.size;
  }

  /** Loads what is missing of the actions with these stamps, both inclusive. `last` is the newest stamp of all actions. */
  async load(store: KeyValueStore, user: UserId, first: Stamp, last: Stamp): Promise<void> {
    await this.#add(store, user, [this.#last + 1, last]);
    this.#last = last;
    await this.#add(store, user, [first, this.#first - 1]);
    this.#first = Math.min(this.#first, first);
  }

  async #add(store: KeyValueStore, user: UserId, [first, last]: [Stamp, Stamp]): Promise<void> {
    if (first > last) return;
    for await (const page of scanActions(store, user, [first, last])) {
      await eachInSlices(page, (chunk) => {
        for (const action of readChunk(chunk).actions) this.#addOne(fingerprint(action), chunk.key);
      });
    }
  }

  #addOne(hash: number, chunk: Key): void {
    const known = this.#chunks.get(hash);
    if (known === undefined) this.#chunks.set(hash, chunk);
    else if (![known].flat().includes(chunk)) this.#chunks.set(hash, [...[known].flat(), chunk]);
  }

  /** Keys of the chunks that may contain one of these actions. */
  chunksWith(actions: readonly EpisodeAction[]): Key[] {
    return [...new Set(actions.flatMap((action) => this.#chunks.get(fingerprint(action)) ?? []))];
  }
}

/** A 32-bit hash (FNV-1a), the same for duplicates. */
function fingerprint({ episode, device = '', timestamp, action, play }: EpisodeAction): number {
  let hash = 0x811c9dc5 ^ timestamp ^ (action.charCodeAt(0) << 16);
  hash = Math.imul(hash, 0x01000193) ^ (play?.position ?? -1);
  for (const text of [episode, device]) {
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash | 0;
}
