import type { Podcast, Url } from '../../../src/old-plugin.ts';
import type { Audience } from './audience.ts';
import type { StoredPodcast } from './shard.ts';
import type { Tags } from './tags.ts';

/** All podcasts, as ranking and searching need them. */
export interface Catalogue {
  readonly audience: Audience;
  readonly tags: Tags;
  all(): Iterable<StoredPodcast>;
  /** By any URL that it had. */
  find(url: Url): StoredPodcast | undefined;
  toPodcast(podcast: StoredPodcast): Podcast;
  /** Most subscribers first, then by URL. */
  byPopularity(a: StoredPodcast, b: StoredPodcast): number;
}
