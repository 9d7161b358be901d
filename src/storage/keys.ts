import { hash } from 'node:crypto';
import type { Seconds, Url, UserId } from '../domain/types.ts';
import type { Entry, Key, Value } from './contract.ts';

/** Stands for a URL in keys, which hold no long text and nothing but ASCII: its SHA-256 in base64url, cut to 132 bits. */
export type UrlDigest = string;

export const urlDigest = (url: Url): UrlDigest => hash('sha256', url, 'base64url').slice(0, 22);

/** A whole number from 0 to 2 ** 53, as text that sorts like the number. */
export const padded = (number: number): string => String(number).padStart(16, '0');

/** All keys that begin with a prefix, which ends in `/`. */
export const under = (prefix: `${string}/`): { from: Key; until: Key } => ({
  from: prefix,
  until: `${prefix.slice(0, -1)}0`, // the character after `/`
});

/** What is stored of a podcast: see `directory/documents.ts`. */
export const podcastKey = (
  digest: UrlDigest,
  part: 'url' | 'podcast' | 'count' | 'private' | 'lease' | 'unused',
): Key => `p/${digest}/${part}`;

/** Some of the episodes of a podcast; a higher number was begun later. */
export const episodesKey = (digest: UrlDigest, chunk: number): Key => `e/${digest}/${padded(chunk)}`;

/** The account subscribes to this very URL on some device: to be found by URL, and by account. See `edgeValue`. */
export const subscriberKey = (digest: UrlDigest, user: UserId): Key => `f/${digest}/${user}`;
export const subscriptionKey = (user: UserId, digest: UrlDigest): Key => `b/${user}/${digest}`;

/** What is stored of a subscription: whether it is public (spec 2.9). */
export const edgeValue = (isPrivate: boolean): Value => (isPrivate ? '0' : '1');
export const isPrivateEdge = ({ value }: Pick<Entry, 'value'>): boolean => value === edgeValue(true);

/** The account has acted on an episode of the podcast. */
export const actedKey = (digest: UrlDigest, user: UserId): Key => `a/${digest}/${user}`;

const minuteOf = (now: Seconds): string => padded(Math.floor(now / 60));

/** Something changed in this minute: what is stored of a URL, or what `b/` and a user's id begin. For other processes. */
export const changedKey = (now: Seconds, what: UrlDigest | `b/${UserId}` | 'toplists'): Key =>
  `d/${minuteOf(now)}/${what}`;
/** The changes of a minute begin here. */
export const changesFrom = (now: Seconds): Key => `d/${minuteOf(now)}/`;

/** How a tag was first written. `digest`: of its slug, which may be any text. */
export const tagKey = (digest: UrlDigest): Key => `k/tag/${digest}`;
export const TOPLISTS_KEY = 'k/toplists';
