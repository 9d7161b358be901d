import type { EpisodeAction, Seconds } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { Head } from '../accounts/head.ts';

/** Maximum number in memory; beyond it they are dropped and loaded again on demand. */
const MAX = 200_000;

/** Fingerprints of the latest actions of an account. Different actions may have the same one. */
export class Fingerprints {
  /** All actions from this time on are included. */
  from: Seconds;
  readonly #known = new Set<number>();
  /** Added lazily at the first lookup, which most accounts never need. */
  #added: (readonly number[])[] = [];
  size = 0;

  private constructor(from: Seconds) {
    this.from = from;
  }

  /** An empty set: nothing was loaded yet. */
  static of({ latestActionAt }: Pick<Head, 'latestActionAt'>): Fingerprints {
    return new Fingerprints(latestActionAt + 1);
  }

  /** The actions that may be stored already. */
  async among(actions: readonly EpisodeAction[]): Promise<EpisodeAction[]> {
    const added = this.#added;
    this.#added = [];
    await eachInSlices(added.flat(), (each) => this.#known.add(each));
    const found: EpisodeAction[] = [];
    await eachInSlices(actions, (action) => this.#known.has(fingerprint(action)) && found.push(action));
    return found;
  }

  add(fingerprints: readonly number[]): void {
    this.#added.push(fingerprints);
    this.size += fingerprints.length;
  }

  /** Drops all of them if there are too many. `latestActionAt`: see `Head`. */
  forgetBeyondBound(latestActionAt: Seconds): void {
    if (this.size <= MAX) return;
    this.#known.clear();
    this.#added = [];
    this.size = 0;
    this.from = latestActionAt + 1;
  }
}

/** The time of an action in the index. */
export const timeOf = ({ timestamp }: EpisodeAction): Seconds => Math.max(0, timestamp);

/** A 32-bit hash (FNV-1a), the same for duplicates. Computed for each stored action: must be fast. */
export function fingerprint({ episode, device = '', timestamp, action, play }: EpisodeAction): number {
  let hash = 0x811c9dc5 ^ timestamp ^ (action.charCodeAt(0) << 16);
  hash = Math.imul(hash, 0x01000193) ^ (play?.position ?? -1);
  for (const text of [episode, device]) {
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash | 0;
}

/** A text that is the same only for actions that differ in nothing but their GUIDs. */
export function identityOf({ podcast, episode, device, action, timestamp, play }: EpisodeAction): string {
  const numbers = `${timestamp} ${play?.position} ${play?.started} ${play?.total}`;
  // The lengths separate the texts.
  const texts = `${podcast.length} ${episode.length} ${podcast}${episode}${device === undefined ? '' : `/${device}`}`;
  return `${action} ${numbers} ${texts}`;
}
