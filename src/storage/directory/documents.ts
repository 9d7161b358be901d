import type { PodcastInfo, Seconds, Stamp, Url } from '../../domain/types.ts';
import type { Entry, Version } from '../contract.ts';
import { podcastKey, type UrlDigest, urlDigest } from '../keys.ts';
import type { FeedProgress } from '../stores.ts';
import type { Counts, PodcastFields } from './podcast.ts';

/* What is stored of a podcast under `p/<digest>/`, each document as JSON; `count` and `private` are numbers. */

/** `url`. Its version is never checked: storing it twice is harmless. */
export interface UrlDocument {
  url: Url;
  /** When it was added to the directory. */
  since: Seconds;
}

/**
 * `podcast`: every change of a podcast or its episodes, except of its counts, sets it and checks its version. Missing
 * until the first change. A former URL has the current one here.
 */
export type PodcastDocument =
  | (PodcastInfo & { feed: FeedProgress; /** See `PodcastFields`. */ newestEpisode?: Stamp })
  | { movedTo: Url };

/** `lease`: the process that set it is fetching the feed. Only if several processes share the store. */
export interface LeaseDocument {
  until: Seconds;
}

/** A lease with the version of its document; 0 if it is only in memory. */
export interface Lease extends LeaseDocument {
  version: Version;
}

/** `unused`: this URL has had no subscribers since then. */
export interface UnusedDocument {
  since: Seconds;
  /** Version of the subscriber count at that time. A different version means that there was a subscriber since. */
  count: Version;
}

/** `k/toplists`: toplists of the last week and the one before, newest first. */
export interface ToplistSnapshot {
  at: Seconds;
  /** First rank first. */
  urls: Url[];
}

/** `k/tag/<digest of the slug>`. */
export interface TagDocument {
  tag: string;
  /** Its first spelling. */
  title: string;
}

/** A podcast whose feed was not fetched yet: it is due at once. */
export const newPodcast = (since: Seconds): PodcastInfo & { feed: FeedProgress } => ({
  title: '',
  author: '',
  description: '',
  website: '',
  logoUrl: null,
  language: '',
  tags: [],
  blocked: false,
  feed: { intervalSeconds: 0, failures: 0, nextAt: since },
});

export const parse = <T>(value: string): T => JSON.parse(value) as T;

/** What is stored under `p/<digest>/`. */
export interface AddressDocuments extends Counts {
  url?: UrlDocument;
  podcast?: PodcastDocument;
  /** Version of the podcast document. */
  version: Version;
  lease?: Lease;
}

/** Position of the digest in a key. */
const DIGEST_FROM = podcastKey('', 'url').indexOf('/') + 1;
const DIGEST_UNTIL = DIGEST_FROM + urlDigest('').length;

/** The keys of all documents of a URL. */
export const documentKeys = (digest: UrlDigest): string[] =>
  (['url', 'podcast', 'count', 'private', 'lease'] as const).map((part) => podcastKey(digest, part));

/** Groups entries by URL; missing entries are skipped. */
export function collectDocuments(
  entries: readonly (Entry | undefined)[],
  documents = new Map<UrlDigest, AddressDocuments>(),
): Map<UrlDigest, AddressDocuments> {
  let digest: UrlDigest = '';
  let found: AddressDocuments | undefined;
  for (const entry of entries) {
    if (!entry) continue;
    const { key, value, version } = entry;
    if (!found || !key.startsWith(digest, DIGEST_FROM)) {
      digest = key.slice(DIGEST_FROM, DIGEST_UNTIL);
      found = documents.get(digest) ?? { version: 0, count: 0, privateCount: 0 };
      documents.set(digest, found);
    }
    const part = key.slice(DIGEST_UNTIL + 1);
    if (part === 'url') found.url = parse(value);
    else if (part === 'podcast') [found.podcast, found.version] = [parse(value), version];
    else if (part === 'count') found.count = Number(value);
    else if (part === 'private') found.privateCount = Number(value);
    else if (part === 'lease') found.lease = { ...parse<LeaseDocument>(value), version };
  }
  return documents;
}

/** A stored podcast, with the version of its document. */
export interface LoadedPodcast {
  digest: UrlDigest;
  fields: PodcastFields;
  version: Version;
}

/** Builds podcasts from documents, which are reused and not copied. Expects all URLs of each podcast. */
export function toPodcasts(documents: ReadonlyMap<UrlDigest, AddressDocuments>): LoadedPodcast[] {
  const former = new Map<Url, Url[]>();
  for (const { url, podcast } of documents.values()) {
    if (!url || !podcast || !('movedTo' in podcast)) continue;
    const urls = former.get(podcast.movedTo);
    if (urls) urls.push(url.url);
    else former.set(podcast.movedTo, [url.url]);
  }
  const podcasts: LoadedPodcast[] = [];
  for (const [digest, { url: known, podcast, version }] of documents) {
    if (!known || (podcast && 'movedTo' in podcast)) continue;
    const { url, since } = known;
    // Reuses the document: there are many of them when a store is opened.
    const fields = Object.assign(podcast ?? newPodcast(since), { url, formerUrls: former.get(url) ?? [] });
    podcasts.push({ digest, fields, version });
  }
  return podcasts;
}

/** Digests of the current URLs of podcasts that were found by a former URL. */
export const movedTo = (documents: ReadonlyMap<UrlDigest, AddressDocuments>): UrlDigest[] =>
  [...documents.values()].flatMap(({ podcast }) => (podcast && 'movedTo' in podcast ? urlDigest(podcast.movedTo) : []));
