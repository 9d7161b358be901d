import type { Entry, Version } from '../contract.ts';
import { podcastKey, type UrlDigest, urlDigest } from '../keys.ts';
import type { Url } from '../../domain/types.ts';
import { type LeaseDocument, newPodcast, parse, type PodcastDocument, type UrlDocument } from './documents.ts';
import type { PodcastFields } from './podcast.ts';

/** What is stored under `p/<digest>/`. */
export interface AddressDocuments {
  url?: UrlDocument;
  podcast?: PodcastDocument;
  /** Of the podcast. */
  version: Version;
  count: number;
  /** How many of those are private. */
  privateCount: number;
  lease?: LeaseDocument & { version: Version };
}

/** Where the digest stands in a key. */
const DIGEST_FROM = podcastKey('', 'url').indexOf('/') + 1;
const DIGEST_UNTIL = DIGEST_FROM + urlDigest('').length;

/** The keys of all documents of a URL. */
export const documentKeys = (digest: UrlDigest): string[] =>
  (['url', 'podcast', 'count', 'private', 'lease'] as const).map((part) => podcastKey(digest, part));

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
    if (!found) documents.set(digest, (found = { version: 0, count: 0, privateCount: 0 }));
    const { value, version } = entry;
    if (part === 'url') found.url = parse(value);
    else if (part === 'podcast') [found.podcast, found.version] = [parse(value), version];
    else if (part === 'count') found.count = Number(value);
    else if (part === 'private') found.privateCount = Number(value);
    else if (part === 'lease') found.lease = { ...parse<LeaseDocument>(value), version };
  }
  return documents;
}

/** A podcast as it is stored, with the version of its document. */
export interface ReadPodcast {
  digest: UrlDigest;
  fields: PodcastFields;
  version: Version;
}

/** The podcasts that these make, of which they become part. All URLs of a podcast must be among them. */
export function toPodcasts(documents: ReadonlyMap<UrlDigest, AddressDocuments>): ReadPodcast[] {
  const former = new Map<Url, Url[]>();
  for (const { url, podcast } of documents.values()) {
    if (!url || !podcast || !('movedTo' in podcast)) continue;
    const urls = former.get(podcast.movedTo);
    if (urls) urls.push(url.url);
    else former.set(podcast.movedTo, [url.url]);
  }
  const podcasts: ReadPodcast[] = [];
  for (const [digest, { url: known, podcast, version }] of documents) {
    if (!known || (podcast && 'movedTo' in podcast)) continue;
    const { url, since } = known;
    // Not copied, as there are many of them when a store is opened.
    const fields = Object.assign(podcast ?? newPodcast(since), { url, formerUrls: former.get(url) ?? [] });
    podcasts.push({ digest, fields, version });
  }
  return podcasts;
}

/** Where the podcasts are that were found under former URLs. */
export const movedTo = (documents: ReadonlyMap<UrlDigest, AddressDocuments>): UrlDigest[] =>
  [...documents.values()].flatMap(({ podcast }) => (podcast && 'movedTo' in podcast ? urlDigest(podcast.movedTo) : []));
