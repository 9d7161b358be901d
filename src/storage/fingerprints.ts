import type { EpisodeAction, Seconds } from '../domain/types.ts';
import { eachInSlices } from '../slices.ts';
import type { Head } from './head.ts';

/** Beyond this number they are forgotten: an upload that may repeat something reads what it needs again. */
const MAX = 200_000;

/** Fingerprints of the actions of an account, or of the latest of them. Two actions may have the same one. */
export class Fingerprints {
  /** There is one of every action that happened at this time or later. */
  from: Seconds;
  readonly #known = new Set<number>();
  /** To be added to them when somebody asks, which most accounts never do. */
  #added: (readonly number[])[] = [];
  size = 0;

  private constructor(from: Seconds) {
    this.from = from;
  }

  /** None, as nothing was read yet. */
  static of({ latest }: Pick<Head, 'latest'>): Fingerprints {
    return new Fingerprints(latest + 1);
  }

  /** Those of the actions of which there may be one. */
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

  /** `latest`: see `Head`. */
  forgetBeyondBound(latest: Seconds): void {
    if (this.size <= MAX) return;
    this.#known.clear();
    this.#added = [];
    this.size = 0;
    this.from = latest + 1;
  }
}

/** The time at which an action happened, as it is looked for. */
export const timeOf = ({ timestamp }: EpisodeAction): Seconds => Math.max(0, timestamp);

/** 32 bits that two uploads of one action have in common (FNV-1a). It is made for each action that is stored: it must be quick. */
export function fingerprint({ episode, device = '', timestamp, action, play }: EpisodeAction): number {
  let hash = 0x811c9dc5 ^ timestamp ^ (action.charCodeAt(0) << 16);
  hash = Math.imul(hash, 0x01000193) ^ (play?.position ?? -1);
  for (const text of [episode, device]) {
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash | 0;
}

/** A text that two actions share only if they are the same but for their GUIDs. */
export function identityOf({ podcast, episode, device, action, timestamp, play }: EpisodeAction): string {
  const numbers = `${timestamp} ${play?.position} ${play?.started} ${play?.total}`;
  // The lengths tell where one text ends and the next begins.
  const texts = `${podcast.length} ${episode.length} ${podcast}${episode}${device === undefined ? '' : `/${device}`}`;
  return `${action} ${numbers} ${texts}`;
}
