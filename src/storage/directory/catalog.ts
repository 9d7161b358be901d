import type { Url } from '../../domain/types.ts';
import type { Podcast } from '../stores.ts';
import type { Address, StoredPodcast } from './podcast.ts';
import type { Tags } from './tags.ts';

/** All podcasts, as ranking and searching need them. */
export interface Catalog {
  readonly tags: Tags;
  /** By number. */
  readonly addresses: readonly Address[];
  /** The numbers of their homes, by number: scores are added up over many of them. */
  readonly homes: readonly number[];
  all(): StoredPodcast[];
  /** By any URL that it had. */
  find(url: Url): StoredPodcast | undefined;
  /** All that it has or had. */
  addressesOf(podcast: StoredPodcast): Address[];
  toPodcast(podcast: StoredPodcast): Podcast;
}
