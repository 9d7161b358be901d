import type { Seconds, Url } from '../../domain/types.ts';
import type { Entry, Version } from '../contract.ts';
import type { UrlDigest } from '../keys.ts';
import { valueOf } from '../values.ts';
import { partsOf, podcastKey } from './keys.ts';
import { type Lease, newPodcast, type PodcastFields } from './podcast.ts';

/* What is stored in the keys of `keys.ts`, as JSON. */

/** Its version is never checked: storing it twice is harmless. */
export interface UrlDocument {
  url: Url;
  /** When it was added to the directory, or an account unsubscribed last: a podcast may be without subscribers since. */
  since: Seconds;
}

/**
 * Every change of a podcast or its episodes sets it and checks its version. Missing until the first change. A former URL
 * has the current one here.
 */
type PodcastDocument = Omit<PodcastFields, 'url'> | { movedTo: Url };

/** Only stored if several processes share the store. */
export type LeaseDocument = Pick<Lease, 'until'>;

export interface ToplistSnapshot {
  at: Seconds;
  /** First rank first. */
  urls: Url[];
}

export interface TagDocument {
  /** Slug. */
  tag: string;
  /** Its first spelling. */
  title: string;
}

/** What is stored of a URL. */
export interface UrlDocuments {
  url?: UrlDocument;
  podcast?: PodcastDocument;
  /** Version of `podcast`. */
  version: Version;
  lease?: Lease;
}

/** The keys of `UrlDocuments`. */
export const documentKeys = (digest: UrlDigest): string[] =>
  (['url', 'podcast', 'lease'] as const).map((part) => podcastKey(digest, part));

/** Groups entries by URL; missing ones are skipped. */
export function groupByUrl(
  entries: readonly (Entry | undefined)[],
  documents = new Map<UrlDigest, UrlDocuments>(),
): Map<UrlDigest, UrlDocuments> {
  for (const entry of entries) {
    if (!entry) continue;
    const { version } = entry;
    const [digest, part] = partsOf(entry.key);
    let found = documents.get(digest);
    if (!found) documents.set(digest, (found = { version: 0 }));
    if (part === 'url') found.url = valueOf(entry);
    else if (part === 'podcast') [found.podcast, found.version] = [valueOf(entry), version];
    else if (part === 'lease') found.lease = { ...valueOf<LeaseDocument>(entry), version };
  }
  return documents;
}

/** The current URL, if this is a former one. */
export const movedTo = ({ podcast }: UrlDocuments): Url | undefined =>
  podcast && 'movedTo' in podcast ? podcast.movedTo : undefined;

/** The podcast with this current URL. Reuses the document, as there are many when a store is opened. */
export function toFields({ url, podcast }: UrlDocuments): PodcastFields | undefined {
  if (!url || (podcast && 'movedTo' in podcast)) return undefined;
  return podcast ? Object.assign(podcast, { url: url.url }) : newPodcast(url.url, url.since);
}

export function toDocument(podcast: PodcastFields): PodcastDocument {
  const { url: _, ...document } = podcast;
  return document;
}
