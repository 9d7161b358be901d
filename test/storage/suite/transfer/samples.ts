import type { PodcastInfo, UserId } from '../../../../src/domain/types.ts';
import type { DirectoryRecord, FeedProgress, Storage, UserRecord } from '../../../../src/storage/stores.ts';
import { appPassword } from '../accounts/app-passwords.ts';
import { type Bench, START } from '../bench.ts';
import { episode, info, state } from '../directory/samples.ts';
import { action, actions, add, addUser, feed, feeds, readPages, remove, SECRET, session } from '../samples.ts';

/** Records in pages of various sizes, as an import reads them. */
export async function* pagesOf<Item>(records: readonly Item[]): AsyncGenerator<Item[]> {
  for (let at = 0, size = 1; at < records.length; at += size, size = (size * 3) % 1000) {
    yield records.slice(at, at + size);
  }
}

export const exportUser = ({ transfer }: Storage, user: UserId): Promise<UserRecord[]> =>
  readPages(transfer.exportUser(user));

/** Imports an account, and adds its feeds to the directory. */
export async function importUser({ transfer, podcasts }: Storage, records: readonly UserRecord[]): Promise<UserId> {
  const user = await transfer.importUser(pagesOf(records));
  await podcasts.addPendingFeeds();
  return user;
}

export const exportDirectory = ({ transfer }: Storage): Promise<DirectoryRecord[]> =>
  readPages(transfer.exportDirectory());

export const importDirectory = ({ transfer }: Storage, records: readonly DirectoryRecord[]): Promise<void> =>
  transfer.importDirectory(pagesOf(records));

export const NAME = 'Zoë';
export const EMAIL = 'zoe@example.org';

/** A lone surrogate, as a client may send it. */
const HALF = 'a\ud800b';
/** Sorts after the next one by code point, and before it by UTF-16. */
const [ABOVE, BELOW] = ['\u{1d49c}', '\uff5a'];
/** A limit that fits all settings. */
export const LARGE = { remove: [], limit: 1000 } as const;

/** Creates an account with all kinds of data; returns its user. Sets the clock to `START`. */
export async function createFullAccount({ storage, clock }: Pick<Bench, 'storage' | 'clock'>): Promise<UserId> {
  const { devices, subscriptions, settings, lists, sessions } = storage;
  clock.at = START - 3000;
  const { id } = await storage.users.create({ name: NAME, email: EMAIL, passwordHash: `${SECRET}-hash` });
  await devices.save(id, 'tv', { caption: HALF, type: 'desktop' });
  for (const other of ['phone', 'Phone', ABOVE, BELOW, 'a b', 'car', 'late']) await devices.save(id, other, {});
  clock.at += 1000;
  await subscriptions.apply(id, 'tv', add(feed(3), feed(1), feed(2)));
  await subscriptions.apply(id, 'phone', add(feed(9), feed(1)));
  await subscriptions.apply(id, 'tv', remove(feed(3)));
  await subscriptions.apply(id, 'tv', [...add(feed(4)), ...remove(feed(1))]);
  await subscriptions.apply(id, 'tv', add(feed(1)));
  await storage.actions.append(id, [
    action(1, { device: 'phone', guid: HALF }),
    action(2, { action: 'play', play: { position: 5 } }),
    action(3, { device: 'new one', action: 'play', play: { position: 5, started: 1, total: 50 }, guid: '' }),
  ]);
  clock.at += 1000;
  await devices.synchronize(
    id,
    [
      ['tv', 'phone'],
      [BELOW, ABOVE],
    ],
    [],
  );
  await subscriptions.replace(id, ABOVE, feeds(3, 20));
  await storage.actions.append(id, actions(2500, 10, { podcast: feed('only acted on') }));
  await settings.update(id, { kind: 'account' }, { set: { b: [1, { y: null, x: HALF }], a: 'text' }, ...LARGE });
  await settings.update(id, { kind: 'account' }, { set: { 7: true, b: 2, [HALF]: '' }, ...LARGE });
  await settings.update(id, { kind: 'device', device: ABOVE }, { set: protoKey(), ...LARGE });
  await settings.update(id, { kind: 'device', device: BELOW }, { set: { constructor: {} }, ...LARGE });
  await settings.update(id, { kind: 'device', device: 'gone' }, { set: { a: 1 }, ...LARGE });
  await settings.update(id, { kind: 'device', device: 'gone' }, { set: {}, remove: ['a'], limit: 9 });
  for (const url of [feed(1), `${feed(1)}!`, `${feed(1)}"`, feed(10)]) {
    await settings.update(id, { kind: 'podcast', podcast: url }, { set: { of: url }, ...LARGE });
    for (const episode of [ABOVE, BELOW, '', '!', '"'].map((end) => `https://podcasts.example/${end}`)) {
      await settings.update(id, { kind: 'episode', podcast: url, episode }, { set: { favorite: true }, ...LARGE });
    }
  }
  for (const name of ['news', 'art', 'gone', 'music']) await lists.create(id, { name, title: HALF, urls: feeds(3) });
  await lists.delete(id, 'gone');
  await lists.update(id, 'news', () => ({ urls: [feed(7), feed(2)] }));
  await lists.create(id, { name: 'gone', title: 'Back again', urls: [] });
  await devices.save(id, 'app', { caption: 'App', followsAll: true });
  const used = { usedAt: START - 5, address: '192.0.2.1', app: HALF };
  for (const digest of ['b', 'a']) await storage.appPasswords.create(appPassword(id, digest, START - 10));
  await storage.appPasswords.recordUse(id, appPassword(id, 'b').digest, used);
  for (const digest of ['b', 'B', 'a']) await sessions.save(session(id, digest, START + 5000));
  await sessions.save(session(id, 'over', START - 10));
  clock.at = START;
  return id;
}

/** The literal `{ __proto__: 1 }` would set the prototype. */
const protoKey = (): Record<string, number> => Object.fromEntries([['__proto__', 1]]);

/** Subscribes alice, who is created if missing, to feeds by number. */
export const subscribe = async (storage: Storage, ...numbers: (number | string)[]): Promise<void> => {
  const user = await storage.users.find('alice');
  const id = user?.id ?? (await addUser(storage));
  await storage.subscriptions.apply(id, 'phone', add(...numbers.map(feed)));
};

/** The fetch state of a feed in an export. */
export const feedOf = (n: number | string, fields: Partial<FeedProgress> = {}): FeedProgress => {
  const { url: _, ...rest } = state(feed(n), fields);
  return rest;
};

/** A podcast that was fetched at this time, with these episodes. */
export const podcast = (
  n: number | string,
  fetchedAt: number,
  numbers: readonly number[] = [],
  more: { info?: Partial<PodcastInfo>; formerUrls?: string[] } = {},
): DirectoryRecord[] => [
  {
    kind: 'podcast',
    url: feed(n),
    info: info(more.info),
    feed: feedOf(n, { fetchedAt }),
    formerUrls: more.formerUrls ?? [],
  },
  ...numbers.map((number): DirectoryRecord => ({
    kind: 'episode',
    episode: { ...episode(number), stamp: START + number, formerUrls: [] },
  })),
];
