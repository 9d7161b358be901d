import assert from 'node:assert/strict';
import type { EpisodeAction, Seconds, SubscriptionChange, Url, UserId } from '../../../src/domain/types.ts';
import type { ActionQuery, Session, Storage } from '../../../src/storage/stores.ts';

/** Part of every password hash and session digest here: it must not appear in the log. */
export const SECRET = 'kept-secret';

/** Creates a user and returns the id. */
export async function addUser(storage: Storage, name = 'alice'): Promise<UserId> {
  const { id } = await storage.users.create({ name, passwordHash: `${SECRET}-hash-of-${name}` });
  return id;
}

export const session = (user: UserId, digest: string, expiresAt: Seconds): Session => ({
  digest: `${SECRET}-${digest}`,
  user,
  expiresAt,
});

/** Feed number `n`. */
export const feed = (n: number | string): Url => `https://podcasts.example/feed/${n}`;

/** Feeds numbered from `first` on. */
export const feeds = (count: number, first = 1): Url[] => Array.from({ length: count }, (_, i) => feed(first + i));

export const add = (...urls: Url[]): SubscriptionChange[] => urls.map((url) => ({ url, subscribed: true }));
export const remove = (...urls: Url[]): SubscriptionChange[] => urls.map((url) => ({ url, subscribed: false }));

/** Creates a user who subscribes to these feeds. */
export async function subscribe(storage: Storage, ...numbers: (number | string)[]): Promise<void> {
  await storage.subscriptions.apply(await addUser(storage), 'phone', add(...numbers.map(feed)));
}

/** A download of episode number `n`, with the given fields replaced. */
export const action = (n: number, fields: Partial<EpisodeAction> = {}): EpisodeAction => ({
  podcast: feed(1),
  episode: `https://podcasts.example/episode/${n}`,
  action: 'download',
  timestamp: 1_700_000_000 + n,
  ...fields,
});

/** Actions on episodes numbered from `first` on. */
export const actions = (count: number, first = 1, fields: Partial<EpisodeAction> = {}): EpisodeAction[] =>
  Array.from({ length: count }, (_, i) => action(first + i, fields));

/** The number at the end of a sample URL. */
export const numberOf = (url: Url): number => Number(url.slice(url.lastIndexOf('/') + 1));

export const numbersOf = (found: readonly { url: Url }[]): number[] => found.map(({ url }) => numberOf(url));

/** All items of pages, none of which may be empty. */
export async function readPages<Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const page of pages) {
    assert.ok(page.length > 0, 'a page is empty');
    all.push(...page);
  }
  return all;
}

export async function readActions(storage: Storage, user: UserId, query: ActionQuery = {}): Promise<EpisodeAction[]> {
  const { pages } = await storage.actions.query(user, query);
  return readPages(pages);
}

/** Numbers of the episodes that a query returns. */
export const readNumbers = async (storage: Storage, user: UserId, query: ActionQuery = {}): Promise<number[]> =>
  (await readActions(storage, user, query)).map(({ episode }) => numberOf(episode));

/** Texts that break a store which uses them as file names, object keys or patterns, or ignores case. */
export const ODD_TEXTS = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '.',
  '..',
  '../up',
  'a/b',
  'a\\b',
  'C:',
  'NUL',
  'a_c',
  'abc',
  'a%',
  '*',
  "o'neil",
  'a"b',
  '-rf',
  '0',
  '00',
  'null',
  'undefined',
  'two words',
  'ends with a blank',
  'ends with a blank ',
  'é',
  'e\u0301',
  'мой телефон',
  '鶴'.repeat(150),
  '🎧',
] as const;
