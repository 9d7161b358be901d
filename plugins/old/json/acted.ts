import { crc32 } from 'node:zlib';
import type { EpisodeAction, Url } from '../../../src/old-plugin.ts';
import type { History } from './history.ts';

/** Quick, and enough to tell the episodes of one podcast apart: a collision only keeps one episode too many. */
const keyOf = (episode: string): number => crc32(episode);

/**
 * Which episodes anyone ever acted on, as the directory keeps those however old they are. Few ever ask: gathered from all
 * histories the first time, then kept current.
 */
export class Acted {
  /** Undefined until somebody asks. */
  #keys: Map<Url, Set<number>> | undefined;
  #gathering: Promise<void> | undefined;
  readonly #gather: () => Promise<void>;

  /** `gather` notes all histories. */
  constructor(gather: () => Promise<void>) {
    this.#gather = gather;
  }

  /** Itself, once all is noted. */
  async gathered(): Promise<this> {
    this.#keys ??= new Map(); // what comes meanwhile is noted as it comes
    this.#gathering ??= this.#gather().catch((error) => {
      this.#gathering = undefined;
      throw error;
    });
    await this.#gathering;
    return this;
  }

  clear(): void {
    this.#keys = this.#gathering = undefined;
  }

  get podcasts(): Iterable<Url> {
    return this.#keys?.keys() ?? [];
  }

  note(batch: { readonly actions: readonly EpisodeAction[] }): void {
    if (!this.#keys) return;
    for (const { podcast, episode, guid } of batch.actions) {
      let keys = this.#keys.get(podcast);
      if (!keys) this.#keys.set(podcast, (keys = new Set()));
      keys.add(keyOf(episode));
      if (guid !== undefined) keys.add(keyOf(guid));
    }
  }

  async noteAll(history: History): Promise<void> {
    if (!this.#keys) return;
    for await (const page of history.all()) this.note({ actions: page.map(({ action }) => action) });
  }

  /** Answers a test of an episode's name, URL or GUID: whether anyone acted on it in one of these podcasts. */
  among(podcasts: readonly Url[]): (name: string) => boolean {
    const keys = podcasts.map((url) => this.#keys?.get(url));
    return (name) => keys.some((each) => each?.has(keyOf(name)));
  }
}
