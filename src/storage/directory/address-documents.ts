import type { Entry, Version } from '../contract.ts';
import { podcastKey, type UrlDigest, urlDigest } from '../keys.ts';
import type { PodcastInfo, Stamp, Url } from '../../domain/types.ts';
import type { FeedProgress } from '../stores.ts';
import { EMPTY_INFO, type HeadDocument, type LeaseDocument, newFeed, parse, type UrlDocument } from './documents.ts';
import type { PodcastFields } from './podcast.ts';

/** What is stored under `p/<digest>/`. */
export interface AddressDocuments {
  url?: UrlDocument;
  info?: PodcastInfo;
  head?: HeadDocument;
  /** Of the head. */
  version: Version;
  count: number;
  lease?: LeaseDocument & { version: Version };
}

/** Where the digest stands in a key. */
const DIGEST_FROM = podcastKey('', 'url').indexOf('/') + 1;
const DIGEST_UNTIL = DIGEST_FROM + urlDigest('').length;

/** The keys of all documents of a URL. */
export const documentKeys = (digest: UrlDigest): string[] =>
  (['url', 'info', 'feed', 'count', 'lease'] as const).map((part) => podcastKey(digest, part));

/** Adds entries, of which any may be missing, to what was read of their URLs. */
export function collectDocuments(
  entries: readonly (Entry | undefined)[],
  documents = new Map<UrlDigest, AddressDocuments>(),
): Map<UrlDigest, AddressDocuments> {
  for (const entry of entries) {
    if (!entry) continue;
    const digest = entry.key.slice(DIGEST_FROM, DIGEST_UNTIL);
    const part = entry.key.slice(DIGEST_UNTIL + 1);
    let found = documents.get(digest);
    if (!found) documents.set(digest, (found = { version: 0, count: 0 }));
    const { value, version } = entry;
    if (part === 'url') found.url = parse(value);
    else if (part === 'info') found.info = parse(value);
    else if (part === 'feed') Object.assign(found, { head: parse(value), version });
    else if (part === 'count') found.count = Number(value);
    else if (part === 'lease') found.lease = { ...parse<LeaseDocument>(value), version };
  }
  return documents;
}

/** A podcast as it is stored, with the version of its head. */
export interface ReadPodcast {
  digest: UrlDigest;
  fields: PodcastFields;
  version: Version;
}

/** The podcasts that these make, of which they become part. All URLs of a podcast must be among them. */
export function toPodcasts(documents: ReadonlyMap<UrlDigest, AddressDocuments>): ReadPodcast[] {
  const former = new Map<Url, Url[]>();
  for (const { url, head } of documents.values()) {
    if (!url || !head || !('movedTo' in head)) continue;
    const urls = former.get(head.movedTo);
    if (urls) urls.push(url.url);
    else former.set(head.movedTo, [url.url]);
  }
  const podcasts: ReadPodcast[] = [];
  for (const [digest, { url: known, info = { ...EMPTY_INFO }, head, version }] of documents) {
    if (!known || (head && 'movedTo' in head)) continue;
    const { url, since } = known;
    const { newestEpisode, ...feed }: FeedProgress & { newestEpisode?: Stamp } = head ?? newFeed(since);
    // Not copied, as there are many of them when a store is opened.
    const fields: PodcastFields = Object.assign(info, { url, formerUrls: former.get(url) ?? [], feed });
    if (newestEpisode !== undefined) fields.newestEpisode = newestEpisode;
    podcasts.push({ digest, fields, version });
  }
  return podcasts;
}

/** Where the podcasts are that were found under former URLs. */
export const movedTo = (documents: ReadonlyMap<UrlDigest, AddressDocuments>): UrlDigest[] =>
  [...documents.values()].flatMap(({ head }) => (head && 'movedTo' in head ? urlDigest(head.movedTo) : []));
