import { crc32 } from 'node:zlib';
import type { EpisodeAction, Url } from '../../src/plugin.ts';
import type { History } from './history.ts';

/** Quick, and enough to tell the episodes of one podcast apart: a collision only keeps one episode too many. */
const keyOf = (episode: string): number => crc32(episode);

/** Which episodes anyone ever acted on, as the directory keeps those however old they are. */
export class Acted {
  readonly #keys = new Map<Url, Set<number>>();

  get podcasts(): Iterable<Url> {
    return this.#keys.keys();
  }

  note(actions: readonly EpisodeAction[]): void {
    for (const { podcast, episode, guid } of actions) {
      let keys = this.#keys.get(podcast);
      if (!keys) this.#keys.set(podcast, (keys = new Set()));
      keys.add(keyOf(episode));
      if (guid !== undefined) keys.add(keyOf(guid));
    }
  }

  async noteAll(history: History): Promise<void> {
    for await (const page of history.all()) this.note(page.map(({ action }) => action));
  }

  /** Answers a test of an episode's name, URL or GUID: whether anyone acted on it in one of these podcasts. */
  among(podcasts: readonly Url[]): (name: string) => boolean {
    const keys = podcasts.map((url) => this.#keys.get(url));
    return (name) => keys.some((each) => each?.has(keyOf(name)));
  }
}
