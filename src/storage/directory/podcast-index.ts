import type { Address } from './podcast.ts';

/** Podcasts by a text, such as a tag. */
export class PodcastIndex extends Map<string, Set<Address>> {
  add(text: string, podcast: Address): void {
    const podcasts = this.get(text);
    if (podcasts) podcasts.add(podcast);
    else this.set(text, new Set([podcast]));
  }

  remove(text: string, podcast: Address): void {
    const podcasts = this.get(text);
    podcasts?.delete(podcast);
    if (podcasts?.size === 0) this.delete(text);
  }
}
