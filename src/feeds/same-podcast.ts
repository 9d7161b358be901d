import { hash } from 'node:crypto';
import type { EpisodeInfo, Url } from '../domain/types.ts';

/** What identifies a podcast. */
export interface PodcastIdentity {
  title: string;
  /** `podcast:guid`. */
  guid: string | null;
  /** Newest first. */
  episodes: readonly Pick<EpisodeInfo, 'url' | 'guid'>[];
}

/** Number of episodes to compare: feeds that move often drop the old ones. */
export const COMPARED = 20;

/**
 * Whether two feeds are the same podcast at different URLs: they have the same GUID, or if one has none, the same title
 * and most of the newest episodes.
 */
export function isSamePodcast(here: PodcastIdentity, there: PodcastIdentity): boolean {
  if (here.guid !== null && there.guid !== null) return here.guid === there.guid;
  if (here.title === '' || here.title !== there.title) return false;
  const newest = here.episodes.slice(0, COMPARED);
  if (newest.length === 0) return there.episodes.length === 0;
  const names = new Set(there.episodes.flatMap(({ url, guid }) => [url, guid ?? url]));
  const shared = newest.filter(({ url, guid }) => names.has(url) || (guid !== undefined && names.has(guid)));
  return 2 * shared.length > newest.length;
}

/** The namespace of `podcast:guid`, see https://podcasting2.org/docs/podcast-namespace/tags/guid. */
const NAMESPACE = Buffer.from('ead4c236bf5858c6a2c6a6b28d128cb6', 'hex');

/** Whether a `podcast:guid` was generated from this URL: as its version 5 UUID, without scheme and trailing slashes. */
export function isGuidOf(guid: string, url: Url): boolean {
  const name = url.replace(/^https?:\/\//, '').replace(/\/+$/, '');
  const digest = hash('sha1', Buffer.concat([NAMESPACE, Buffer.from(name)]), 'buffer').subarray(0, 16);
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('hex') === guid.replaceAll('-', '').toLowerCase();
}
