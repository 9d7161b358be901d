import type { Seconds, Url, UserId } from '../../domain/types.ts';
import type { Entry, Key, Value } from '../contract.ts';
import { padded, type Prefix, type UrlDigest, urlDigest } from '../keys.ts';

/*
 * The keys of the directory. URL is the digest of a URL, the current or a former one of a podcast; SLUG is that of a slug.
 *
 *   p/URL/url          the URL itself: `UrlDocument`
 *   p/URL/podcast      what is known of its podcast: `PodcastDocument`
 *   p/URL/lease        a process is fetching the feed: `LeaseDocument`
 *   e/URL/CHUNK        episodes of a podcast, by its current URL
 *   f/URL/USER         an account subscribes to exactly this URL on some device
 *   a/URL/USER         an account has episode actions for this URL
 *   k/tag/SLUG         the first spelling of a tag: `TagDocument`
 *   k/toplists         toplists of the last week: `ToplistSnapshot[]`
 *   d/MINUTE/CHANGE    something changed in this minute, for other processes that share the store: see `Change`
 */

export const PODCASTS: Prefix = 'p/';
export const podcastKey = (digest: UrlDigest, part: 'url' | 'podcast' | 'lease'): Key => `p/${digest}/${part}`;

export const episodesPrefix = (digest: UrlDigest): Prefix => `e/${digest}/`;
/** Chunks are numbered; higher numbers are newer. */
export const episodesKey = (digest: UrlDigest, chunk: number): Key => `e/${digest}/${padded(chunk)}`;

/** How an account subscribes to a URL (spec 2.9); undefined if it does not. */
export type Subscription = 'public' | 'private' | undefined;

export const SUBSCRIPTIONS: Prefix = 'f/';
export const subscribersPrefix = (digest: UrlDigest): Prefix => `f/${digest}/`;
export const subscriptionKey = (digest: UrlDigest, user: UserId): Key => `f/${digest}/${user}`;
export const subscriptionValue = (subscription: Subscription): Value => (subscription === 'private' ? '0' : '1');
export const toSubscription = (entry: Entry | undefined): Subscription =>
  entry && (entry.value === subscriptionValue('private') ? 'private' : 'public');

export const actionIndexPrefix = (digest: UrlDigest): Prefix => `a/${digest}/`;
export const actionIndexKey = (digest: UrlDigest, user: UserId): Key => `a/${digest}/${user}`;
export const actionIndexEntry = (url: Url, user: UserId): [Key, Value] => [actionIndexKey(urlDigest(url), user), '1'];

export const TAGS: Prefix = 'k/tag/';
/** A slug may be any text. */
export const tagKey = (slug: string): Key => `k/tag/${urlDigest(slug)}`;
export const TOPLISTS_KEY: Key = 'k/toplists';

/** What changed: the documents of a URL, a subscription, or the toplists. */
export type Change = UrlDigest | `${UrlDigest}/${UserId}` | 'toplists';

const minuteOf = (now: Seconds): string => padded(Math.floor(now / 60));

export const changeKey = (now: Seconds, change: Change): Key => `d/${minuteOf(now)}/${change}`;
export const changesBefore = (until: Seconds) => ({ from: 'd/', until: `d/${minuteOf(until)}/` });
export const changesFrom = (from: Seconds) => ({ from: `d/${minuteOf(from)}/`, until: 'd0' });

/** What changed, from a key. */
export const changeIn = (key: Key): Change => key.split('/').slice(2).join('/') as Change;

const DIGEST_LENGTH = urlDigest('').length;

/** The digest in the key of a URL, and what follows it. All these keys have a prefix of one letter. */
export const partsOf = (key: Key): [UrlDigest, string] => [
  key.slice(2, 2 + DIGEST_LENGTH),
  key.slice(3 + DIGEST_LENGTH),
];
