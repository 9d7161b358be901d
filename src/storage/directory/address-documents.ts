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
    const [, digest, part] = entry.key.split('/') as [string, string, string];
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

/** The podcasts that these make, each with the version of its head. All URLs of a podcast must be among them. */
export function toPodcasts(
  documents: ReadonlyMap<UrlDigest, AddressDocuments>,
): { fields: PodcastFields; version: Version }[] {
  const former = new Map<Url, Url[]>();
  for (const { url, head } of documents.values()) {
    if (!url || !head || !('movedTo' in head)) continue;
    const urls = former.get(head.movedTo);
    if (urls) urls.push(url.url);
    else former.set(head.movedTo, [url.url]);
  }
  const podcasts: { fields: PodcastFields; version: Version }[] = [];
  for (const { url: known, info = EMPTY_INFO, head, version } of documents.values()) {
    if (!known || (head && 'movedTo' in head)) continue;
    const { url, since } = known;
    const { newestEpisode, ...feed }: FeedProgress & { newestEpisode?: Stamp } = head ?? newFeed(since);
    const fields = { ...info, url, formerUrls: former.get(url) ?? [], feed };
    podcasts.push({ fields: newestEpisode === undefined ? fields : { ...fields, newestEpisode }, version });
  }
  return podcasts;
}

/** Where the podcasts are that were found under former URLs. */
export const movedTo = (documents: ReadonlyMap<UrlDigest, AddressDocuments>): UrlDigest[] =>
  [...documents.values()].flatMap(({ head }) => (head && 'movedTo' in head ? urlDigest(head.movedTo) : []));
