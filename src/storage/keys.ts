import { hash } from 'node:crypto';
import type { Seconds, Url, UserId } from '../domain/types.ts';
import type { Entry, Key, Value } from './contract.ts';

/** Represents a URL in keys, which are short ASCII text: its SHA-256 in base64url, cut to 132 bits. */
export type UrlDigest = string;

export const urlDigest = (url: Url): UrlDigest => hash('sha256', url, 'base64url').slice(0, 22);

/** An integer from 0 to 2 ** 53, as text that sorts like the number. */
export const padded = (number: number): string => String(number).padStart(16, '0');

/** The range of all keys with a prefix, which ends in `/`. */
export const under = (prefix: `${string}/`): { from: Key; until: Key } => ({
  from: prefix,
  until: `${prefix.slice(0, -1)}0`, // the character after `/`
});

/** The documents of a podcast: see `directory/documents.ts`. */
export const podcastKey = (
  digest: UrlDigest,
  part: 'url' | 'podcast' | 'count' | 'private' | 'lease' | 'unused',
): Key => `p/${digest}/${part}`;

/** A chunk of the episodes of a podcast; higher numbers are newer. */
export const episodesKey = (digest: UrlDigest, chunk: number): Key => `e/${digest}/${padded(chunk)}`;

/** An account subscribes to exactly this URL on some device: by URL, and by account. See `edgeValue`. */
export const subscriberKey = (digest: UrlDigest, user: UserId): Key => `f/${digest}/${user}`;
export const subscriptionKey = (user: UserId, digest: UrlDigest): Key => `b/${user}/${digest}`;

/** Value of a subscription: whether it is public (spec 2.9). */
export const edgeValue = (isPrivate: boolean): Value => (isPrivate ? '0' : '1');
export const isPrivateEdge = ({ value }: Pick<Entry, 'value'>): boolean => value === edgeValue(true);

/** The account has episode actions for the podcast. */
export const actionIndexKey = (digest: UrlDigest, user: UserId): Key => `a/${digest}/${user}`;

const minuteOf = (now: Seconds): string => padded(Math.floor(now / 60));

/**
 * Notifies other processes that a URL, the subscriptions of a user (`b/` and the user's id) or the toplists changed in
 * this minute.
 */
export const changedKey = (now: Seconds, what: UrlDigest | `b/${UserId}` | 'toplists'): Key =>
  `d/${minuteOf(now)}/${what}`;
/** Start of the changes of a minute. */
export const changesFrom = (now: Seconds): Key => `d/${minuteOf(now)}/`;

/** The first spelling of a tag. `digest`: of its slug, which may be any text. */
export const tagKey = (digest: UrlDigest): Key => `k/tag/${digest}`;
export const TOPLISTS_KEY = 'k/toplists';
