import { describe, expect, it } from 'vitest';
import type { BackupRecord } from '../../../src/formats/backup/record.ts';
import { writeBackup } from '../../../src/formats/backup/write.ts';
import { episodeInfo, podcastInfo } from '../../podcasts.ts';
import { openTestServer, type TestServer } from '../../server.ts';

/* Backups with valid checksums and data that podsync would not have written. */

const NOW = 1_700_000_000;
const DAY = 86_400;
const FEED = 'https://feeds.example/1';
const MEDIA = `${FEED}.mp3`;
const DIGEST = 'd'.repeat(43);
const HASH = `$2b$10$${'x'.repeat(53)}`;
const PLAY = { podcast: FEED, episode: MEDIA, action: 'play' as const, timestamp: NOW };
const FEED_STATE = { intervalSeconds: 3600, failures: 0 };
const INFO = podcastInfo();
const EPISODE = { ...episodeInfo({ url: MEDIA }), stamp: NOW, formerUrls: [] };

const user = (more: object = {}): BackupRecord => ({
  kind: 'user',
  name: 'bob',
  passwordHash: HASH,
  createdAt: NOW - 100,
  stamp: NOW,
  ...more,
});
const device = (more: object = {}, place = 1): BackupRecord => ({
  kind: 'device',
  device: { id: 'phone', caption: '', type: 'mobile', ...more },
  place,
});
const subscription = (more: object = {}): BackupRecord => ({
  kind: 'subscription',
  device: 'phone',
  url: FEED,
  subscribed: true,
  stamp: NOW - 50,
  place: 1,
  ...more,
});
const action = (more: object = {}, stamp = NOW): BackupRecord => ({
  kind: 'action',
  action: { ...PLAY, ...more },
  stamp,
  uploadedAt: NOW,
});
const settings = (values: [string, any][], scope: any = { kind: 'account' }): BackupRecord => ({
  kind: 'settings',
  scope,
  values,
});
const list = (more: object = {}): BackupRecord => ({
  kind: 'list',
  list: { name: 'best', title: 'Best', urls: [FEED], ...more },
});
const appPassword = (more: object = {}): BackupRecord => ({
  kind: 'appPassword',
  digest: DIGEST,
  label: 'Kodi',
  device: 'phone',
  createdAt: NOW,
  ...more,
});
const session = (digest: string): BackupRecord => ({ kind: 'session', digest, expiresAt: NOW });
const podcast = (info: object = {}, more: object = {}): BackupRecord => ({
  kind: 'podcast',
  url: FEED,
  info: { ...INFO, ...info },
  feed: FEED_STATE,
  formerUrls: [],
  ...more,
});
const episode = (more: object = {}): BackupRecord => ({ kind: 'episode', episode: { ...EPISODE, ...more } });

const inPages = async function* (records: readonly BackupRecord[]): AsyncIterable<BackupRecord[]> {
  for (const record of records) yield [record];
};

async function restore({ request }: TestServer, records: readonly BackupRecord[], query = ''): Promise<any> {
  let body = '';
  for await (const chunk of writeBackup(inPages(records))) body += chunk;
  const answer = await request('POST', `/operator/backup${query}`, { body });
  return { status: answer.status, ...((await answer.json()) as object) };
}

const open = (): Promise<TestServer> => openTestServer({ operator: true, users: [] });

const FULL = [user(), device(), subscription(), action(), settings([['a', 1]]), list()];

it('is accepted if all of it could have been stored through the interface', async () => {
  const server = await open();
  const records: BackupRecord[] = [
    user({ email: 'bob@example.org' }),
    device(),
    device({ id: 'Küche 2', caption: 'x'.repeat(255) }, 2),
    { kind: 'group', devices: ['Küche 2', 'phone'] },
    subscription({ url: 'https://bob:secret@feeds.example/1' }),
    action({ device: 'phone', guid: 'a b', play: { position: 3, started: 0, total: 9 } }),
    action({ episode: 'urn:1', guid: 'urn:1' }),
    settings([['k'.repeat(255), 'v'.repeat(65_534)]]),
    settings([['a', null]], { kind: 'episode', podcast: FEED, episode: MEDIA }),
    list({ urls: Array.from({ length: 1000 }, (_, n) => `${FEED}/${n}`) }),
    appPassword({ usedAt: NOW + DAY, address: '192.0.2.1', app: 'Kodi 21' }),
    { kind: 'session', digest: DIGEST, expiresAt: NOW + 365 * DAY },
    { kind: 'tag', tag: 'news-1', title: 'News 1' },
    podcast({ website: 'https://feeds.example/', logoUrl: 'http://feeds.example/logo.png' }),
    episode({ website: 'https://feeds.example/1' }),
    { kind: 'toplist', at: NOW, urls: [FEED] },
  ];
  expect(await restore(server, records)).toMatchObject({ status: 200, accounts: [{ problem: null }], podcasts: 1 });
});

describe('names the line and stores nothing if', () => {
  const wrong: [string, BackupRecord[], string][] = [
    ['a hash takes days', [user({ passwordHash: HASH.replace('10', '31') })], 'bcrypt, with a cost of 4 to 14'],
    ['a hash is too quick', [user({ passwordHash: HASH.replace('10', '03') })], 'bcrypt, with a cost of 4 to 14'],
    ['a hash is none', [user({ passwordHash: 'secret' })], 'bcrypt, with a cost of 4 to 14'],
    ['a user name is none', [user({ name: 'a/b' })], 'a user name is'],
    ['an e-mail address is none', [user({ email: 'bob' })], 'not an e-mail address'],
    ['an account was created before 1970', [user({ createdAt: -1 })], 'a time must be 0 or later'],
    ['a device id is none', [user(), device({ id: 'a/b' })], 'the device id must be'],
    ['a caption is too long', [user(), device({ caption: 'x'.repeat(256) })], '"caption" must be'],
    ['duplicate devices', [user(), device(), device({}, 2)], 'duplicate device'],
    ['a place is too large', [user(), device({}, 2 ** 40)], '"place" must be'],
    ['devices share a place', [user(), device(), device({ id: 'tv' })], 'duplicate place of a device'],
    [
      'a device is in two groups',
      [
        user(),
        device(),
        device({ id: 'tv' }, 2),
        { kind: 'group', devices: ['phone', 'tv'] },
        { kind: 'group', devices: ['tv', 'phone'] },
      ],
      'duplicate device in a group',
    ],
    [
      'a group is of one',
      [user(), device(), { kind: 'group', devices: ['phone'] }],
      'a group needs at least two devices',
    ],
    ['a group has unknown ones', [user(), device(), { kind: 'group', devices: ['a', 'b'] }], 'names a device that'],
    ['a feed is of no device', [user(), subscription()], 'names a device that is not in the backup'],
    ['duplicate feeds', [user(), device(), subscription(), subscription()], 'duplicate subscription'],
    ['a feed has no place', [user(), device(), subscription({ place: -1 })], '"place" must be'],
    [
      'a feed is newer than the account',
      [user(), device(), subscription({ stamp: NOW + 1 })],
      'above that of the account',
    ],
    [
      'stamps of feeds fall',
      [user(), device(), subscription(), subscription({ url: `${FEED}/2`, stamp: NOW - 60 })],
      'below that of the line before',
    ],
    ['a feed is no address', [user(), device(), subscription({ url: 'javascript:1' })], 'it contains an address'],
    [
      'a feed is not sanitized',
      [user(), device(), subscription({ url: 'HTTP://a.example/' })],
      'it contains an address',
    ],
    ['a stamp is above the account', [user(), action({}, NOW + 1)], 'above that of the account'],
    ['stamps fall', [user(), action({}, NOW), action({ timestamp: 1 }, NOW - 1)], 'below that of the line before'],
    ['an episode is no address', [user(), action({ episode: 'file:///etc/passwd' })], 'it contains an address'],
    ['an action names no device id', [user(), action({ device: 'a/b' })], 'the device id must be'],
    ['an action is in the year 10000', [user(), action({ timestamp: 253_402_300_800 })], 'the timestamp must be'],
    ['a position is negative', [user(), action({ play: { position: -1 } })], 'not as podsync stores them'],
    ['a start is negative', [user(), action({ play: { position: 1, started: -1, total: 9 } })], 'not as podsync'],
    ['a total is negative', [user(), action({ play: { position: 1, started: 0, total: -9 } })], 'not as podsync'],
    ['a start has no total', [user(), action({ play: { position: 1, started: 0 } })], 'must be given together'],
    ['a deletion has a position', [user(), action({ action: 'delete', play: { position: 1 } })], 'not as podsync'],
    ['a guid is too long', [user(), action({ guid: 'x'.repeat(8193) })], 'not as podsync stores them'],
    ['a key is empty', [user(), settings([['', 1]])], 'a key must have 1 to 255 characters (entry 0)'],
    [
      'a value is too large',
      [
        user(),
        settings([
          ['a', 1],
          ['b', 'x'.repeat(65_535)],
        ]),
      ],
      '64 KiB as JSON (entry 1)',
    ],
    ['a value is too deep', [user(), settings([['a', JSON.parse('['.repeat(200) + ']'.repeat(200))]])], 'nested up to'],
    [
      'duplicate key',
      [
        user(),
        settings([
          ['a', 1],
          ['a', 2],
        ]),
      ],
      'duplicate key',
    ],
    [
      'keys are too many',
      [user(), settings(Array.from({ length: 1001 }, (_, n) => [`${n}`, n]))],
      'up to 1000 settings',
    ],
    [
      'settings are of no feed',
      [user(), settings([['a', 1]], { kind: 'podcast', podcast: 'x' })],
      'it contains an address',
    ],
    [
      'settings are of no device',
      [user(), settings([['a', 1]], { kind: 'device', device: 'a/b' })],
      'the device id must be',
    ],
    [
      'settings are of no episode',
      [user(), settings([['a', 1]], { kind: 'episode', podcast: FEED, episode: 'x' })],
      'it contains an address',
    ],
    ['duplicate settings', [user(), settings([['a', 1]]), settings([['a', 1]])], 'duplicate scope'],
    [
      'a list is too long',
      [user(), list({ urls: Array.from({ length: 1001 }, (_, n) => `${FEED}/${n}`) })],
      '1000 feeds',
    ],
    ['a list has no name', [user(), list({ name: '../x' })], 'a title must contain'],
    ['a list has a long title', [user(), list({ title: 'x'.repeat(256) })], 'a title must contain'],
    ['a list has half a character in its title', [user(), list({ title: 'Best \ud800' })], 'a title must contain'],
    ['a list has no address', [user(), list({ urls: ['ftp://feeds.example/'] })], 'it contains an address'],
    ['a list has a feed twice', [user(), list({ urls: [FEED, FEED] })], 'duplicate feed'],
    ['lists share a name', [user(), list(), list()], 'duplicate list'],
    ['an app password is none', [user(), appPassword({ digest: 'x' })], '"digest" must be'],
    ['duplicate app passwords', [user(), appPassword(), appPassword()], 'duplicate app password'],
    ['an app password names no app', [user(), appPassword({ label: ' ' })], 'the name of the app is empty'],
    ['an app password has no device id', [user(), appPassword({ device: 'a/b' })], 'the device id must be'],
    ['a session is none', [user(), session('x')], '"digest" must be'],
    ['duplicate sessions', [user(), session(DIGEST), session(DIGEST)], 'duplicate session'],
    ['a website is a script', [podcast({ website: 'javascript:alert(1)' })], '"website" must begin with http'],
    ['a logo is a file', [podcast({ logoUrl: 'file:///etc/passwd' })], '"logoUrl" must begin with http'],
    ['a title is too long', [podcast({ title: 'x'.repeat(501) })], '"title" may have up to 500'],
    ['an author is too long', [podcast({ author: 'x'.repeat(501) })], '"author" may have up to 500'],
    ['a description is too long', [podcast({ description: 'x'.repeat(10_001) })], '"description" may have up to 10000'],
    ['a language is too long', [podcast({ language: 'x'.repeat(101) })], '"language" may have up to 100'],
    ['tags are too many', [podcast({ tags: Array.from({ length: 21 }, (_, n) => `${n}`) })], 'up to 20 tags'],
    ['a tag is too long', [podcast({ tags: ['x'.repeat(101)] })], '"tags" may have up to 100'],
    [
      'a feed has a long GUID',
      [podcast({}, { feed: { ...FEED_STATE, guid: 'x'.repeat(256) } })],
      '"guid" may have up to',
    ],
    ['a title has half a character', [podcast({ title: 'x\ud800' })], '"title" contains half a surrogate pair'],
    [
      'an ETag cannot be sent',
      [podcast({}, { feed: { ...FEED_STATE, etag: '"1"\r\nx: y' } })],
      '"etag" and "lastModified" must be',
    ],
    [
      'a modification time cannot be sent',
      [podcast({}, { feed: { ...FEED_STATE, lastModified: '' } })],
      '"etag" and "lastModified" must be',
    ],
    [
      'a feed failed a negative number of times',
      [podcast({}, { feed: { ...FEED_STATE, failures: -1 } })],
      '"failures"',
    ],
    [
      'a feed is never fetched',
      [podcast({}, { feed: { ...FEED_STATE, intervalSeconds: 2 ** 31 } })],
      '"intervalSeconds"',
    ],
    [
      'another podcast has no address',
      [podcast({}, { feed: { ...FEED_STATE, apart: 'x' } })],
      'it contains an address',
    ],
    ['a former address is none', [podcast({}, { formerUrls: ['x'] })], 'it contains an address'],
    ['an episode has a script', [podcast(), episode({ website: 'javascript:1' })], '"website" must begin with http'],
    ['an episode has no address', [podcast(), episode({ url: '' })], 'it contains an address'],
    ['an episode had no address', [podcast(), episode({ formerUrls: ['x'] })], 'it contains an address'],
    ['an episode has a long GUID', [podcast(), episode({ guid: 'x'.repeat(1001) })], '"guid" may have up to 1000'],
    ['an episode has a long title', [podcast(), episode({ title: 'x'.repeat(501) })], '"title" may have up to 500'],
    [
      'an episode has a long description',
      [podcast(), episode({ description: 'x'.repeat(10_001) })],
      '"description" may have up to 10000',
    ],
    ['an episode plays for decades', [podcast(), episode({ duration: 2 ** 31 })], '"duration" must be from 1'],
    ['an episode has no date', [podcast(), episode({ releasedAt: 1e15 })], 'the timestamp must be'],
    ['an episode plays for no time', [podcast(), episode({ duration: 0 })], '"duration" must be from 1'],
    ['a toplist has no addresses', [{ kind: 'toplist', at: NOW, urls: ['x'] }], 'it contains an address'],
    ['a tag is none', [{ kind: 'tag', tag: '<b>', title: 'B' }], '"tag" must be'],
    ['a tag has a long name', [{ kind: 'tag', tag: 'x'.repeat(1801), title: 'X' }], '"tag" may have up to 1800'],
    ['a tag has a long title', [{ kind: 'tag', tag: 'x', title: 'x'.repeat(101) }], '"title" may have up to 100'],
  ];

  it.each(wrong)('%s', async (_, records, says) => {
    const server = await open();
    for (const query of ['?dryRun=true', '']) {
      const answer = await restore(server, records, query);
      expect(answer).toMatchObject({ status: 400, code: 400, message: expect.stringContaining(says) });
      expect(answer.message).toMatch(`line ${records.length + 1} of the backup cannot be imported: `);
    }
    expect(await server.services.accounts.hasAny()).toBe(false);
    // The refused import does not prevent a valid one.
    expect(await restore(server, FULL)).toMatchObject({ accounts: [{ name: 'bob', actions: 1, problem: null }] });
  });
});

it('half a character in the name of a device is replaced, as for apps: strict JSON parsers would refuse the list', async () => {
  const server = await open();
  const { passwordHash } = await server.services.accounts.create({ name: 'model', password: 'secret' });
  await restore(server, [user({ passwordHash }), device({ caption: 'phone \ud83d' })]);
  const answer = await server.request('GET', '/api/2/devices/bob.json', { auth: 'bob:secret' });
  expect(await answer.json()).toMatchObject([{ caption: 'phone \ufffd' }]);
});

describe('times and stamps', () => {
  const auth = 'bob:secret';

  it('up to a day ahead are kept: a first sync may stamp that far ahead', async () => {
    const server = await open();
    const records = [user({ stamp: NOW + DAY }), action({}, NOW + DAY)];
    expect(await restore(server, records)).not.toHaveProperty('inFuture');
    const { id } = (await server.storage.users.find('bob'))!;
    expect((await server.storage.actions.query(id, { since: NOW + DAY })).mark).toBe(NOW + DAY + 1);
  });

  it('further ahead are set back in order, and later changes follow them', async () => {
    const server = await open();
    await server.services.accounts.create({ name: 'model', password: 'secret' });
    const { passwordHash } = (await server.storage.users.find('model'))!;
    const far = 2 ** 31;
    const records: BackupRecord[] = [
      user({ passwordHash, createdAt: far, stamp: far + 30 }),
      device(),
      subscription({ stamp: NOW }),
      subscription({ url: `${FEED}/late`, stamp: far, place: 2 }),
      action({ episode: `${FEED}/1.mp3` }, NOW + 10),
      action({ episode: `${FEED}/2.mp3` }, far + 10),
      action({ episode: `${FEED}/3.mp3` }, far + 20),
      appPassword({ createdAt: far, usedAt: far }),
      { kind: 'session', digest: DIGEST, expiresAt: 9 * far },
      podcast({}, { feed: { ...FEED_STATE, fetchedAt: far, nextAt: far } }),
      episode({ stamp: far }),
      { kind: 'toplist', at: far, urls: [FEED] },
    ];
    expect(await restore(server, records)).toMatchObject({ status: 200, inFuture: 9 });

    const path = '/api/2/episodes/bob.json';
    const ask = async (since: number): Promise<any> =>
      (await server.request('GET', `${path}?since=${since}`, { auth })).json();
    const all = await ask(0);
    expect(all.actions.map((each: any) => each.episode)).toEqual([1, 2, 3].map((n) => `${FEED}/${n}.mp3`));
    expect(all.timestamp).toBe(NOW + DAY + 1);
    expect((await ask(NOW + 11)).actions).toHaveLength(2);
    const body = [{ podcast: FEED, episode: `${FEED}/4.mp3`, action: 'new' }];
    expect((await server.request('POST', path, { auth, body })).status).toBe(200);
    const later = await ask(all.timestamp);
    expect(later.actions.map((each: any) => each.episode)).toEqual([`${FEED}/4.mp3`]);
    expect(later.timestamp).toBeLessThan(NOW + DAY + 10);

    const { id, createdAt } = (await server.storage.users.find('bob'))!;
    expect(createdAt).toBe(NOW + DAY);
    const times = { createdAt: NOW + DAY, usedAt: NOW + DAY };
    expect(await server.storage.appPasswords.all(id)).toMatchObject([times]);
    expect((await server.storage.sessions.all(id))[0]!.expiresAt).toBe(NOW + 366 * DAY);
    const state = await server.storage.podcasts.feed(FEED);
    expect(state).toMatchObject({ fetchedAt: NOW + DAY, nextAt: NOW + 4 * DAY });
  });
});
