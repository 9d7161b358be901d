import type { Url } from '../../domain/types.ts';
import type { Podcast } from '../stores.ts';
import type { Address, StoredPodcast } from './podcast.ts';
import type { Tags } from './tags.ts';

/** All podcasts, in the form that ranking and search need. */
export interface Catalog {
  readonly tags: Tags;
  /** By number. */
  readonly addresses: readonly Address[];
  /** For each address number, the number of its home. A plain array, because scoring reads it for many addresses. */
  readonly homes: readonly number[];
  all(): StoredPodcast[];
  /** By its current URL or any former one. */
  find(url: Url): StoredPodcast | undefined;
  /** Its current address and all former ones. */
  addressesOf(podcast: StoredPodcast): Address[];
  toPodcast(podcast: StoredPodcast): Podcast;
}
