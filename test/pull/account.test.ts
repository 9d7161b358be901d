import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { AUTH, feed, media, GPODDER_NET, QUIRKY, open, pull, readAll } from './fixtures.ts';

const query = (values: Record<string, string>): string => new URLSearchParams(values).toString();

const ACCOUNT = [
  '/api/2/devices/bob.json',
  '/subscriptions/bob.json',
  '/subscriptions/bob/phone.json',
  '/subscriptions/bob/my.laptop.json',
  '/subscriptions/bob/the%20car.json',
  '/api/2/sync-devices/bob.json',
  '/api/2/episodes/bob.json',
  '/api/2/settings/bob/account.json',
  '/api/2/settings/bob/device.json?device=phone',
  `/api/2/settings/bob/podcast.json?${query({ podcast: feed(1) })}`,
  `/api/2/settings/bob/episode.json?${query({ podcast: feed(1), episode: media(1) })}`,
  '/api/2/favorites/bob.json',
  '/api/2/lists/bob.json',
  '/api/2/lists/bob/list/for-the-road.json',
];

it('copies all data of an account on another podsync', async () => {
  const from = await openTestServer({ baseUrl: 'https://one.example' }, 'socket');
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    expect((await from.request(method, path, { auth: AUTH, body })).status).toBeLessThan(400);
  };
  await send('POST', '/api/2/devices/bob/phone.json', { caption: 'Bob’s phone', type: 'mobile' });
  await send('PUT', '/subscriptions/bob/phone.json', [feed(1), feed(2), feed(3)]);
  await send('PUT', '/subscriptions/bob/my.laptop.json', [feed(3), feed(4)]);
  await send('PUT', '/subscriptions/bob/the%20car.json', [feed(3), feed(4)]);
  await send('POST', '/api/2/sync-devices/bob.json', { synchronize: [['my.laptop', 'the car']] });
  await send('POST', '/api/2/episodes/bob.json', [
    { podcast: feed(1), episode: media(1), action: 'download', device: 'phone', timestamp: '2020-01-02T03:04:05' },
    { podcast: feed(1), episode: media(1), action: 'play', started: 1, position: 20, total: 300, guid: 'urn:1' },
    { podcast: feed(9), episode: media(9), action: 'new', timestamp: '2019-01-01T00:00:00' },
  ]);
  await send('POST', '/api/1/episodes/bob.json', [
    { podcast: feed(1), episode: 'urn:2', action: 'play', position: '00:01:02', timestamp: '2020-01-03T00:00:00' },
  ]);
  await send('POST', '/api/2/settings/bob/account.json', { set: { public_profile: false, ['__proto__']: [1, null] } });
  await send('POST', '/api/2/settings/bob/device.json?device=phone', { set: { volume: 0.5 } });
  const podcast = query({ podcast: feed(1) });
  await send('POST', `/api/2/settings/bob/podcast.json?${podcast}`, { set: { speed: { value: 1.5 } } });
  const episode = query({ podcast: feed(1), episode: media(1) });
  await send('POST', `/api/2/settings/bob/episode.json?${episode}`, { set: { is_favorite: true, stars: 5 } });
  await send('POST', '/api/2/lists/bob/create.json?title=For%20the%20Road', [feed(4), feed(8)]);

  const to = await openTestServer({ baseUrl: 'https://one.example' });
  expect(await pull(to, from.origin!)).toEqual({
    devices: 3,
    subscriptions: 7,
    groups: 1,
    actions: 4,
    settings: 6,
    lists: 1,
    rewritten: [],
    refused: [],
    notes: [],
    gaps: [],
  });
  expect(await readAll(to, ACCOUNT)).toEqual(await readAll(from, ACCOUNT));
});

it('repairs the invalid data of other servers, and reports what was rewritten, refused or missing', async () => {
  const other = await open(QUIRKY, GPODDER_NET);
  const to = await openTestServer();
  const { rewritten, refused, notes, gaps, ...counts } = await pull(to, other.url);
  expect(counts).toEqual({ devices: 3, subscriptions: 6, groups: 0, actions: 6, settings: 2, lists: 2 });
  expect(rewritten).toEqual([
    { from: 'device a@b:c', to: 'device a_b_c' },
    { from: 'HTTP://Feeds.Example/2', to: 'http://feeds.example/2' },
    { from: 'https://***@feeds.example/3', to: 'https://feeds.example/3' },
  ]);
  expect(refused).toEqual([
    { what: 'feed://feeds.example/4', reason: 'a feed address must begin with http:// or https://' },
    { what: 'an episode action of nothing', reason: expect.stringMatching(/addresses are invalid/) },
    { what: `an episode action of ${media(6)}`, reason: expect.stringMatching(/"action" must be one of/) },
    {
      what: 'an episode action of https://media.example/ü.mp3',
      reason: expect.stringMatching(/addresses are invalid/),
    },
    { what: 'the setting big of phone', reason: expect.stringMatching(/up to 64 KiB/) },
    { what: 'mailto:x', reason: 'a feed address must begin with http:// or https://' },
    { what: 'the podcast list !?', reason: expect.stringMatching(/letter or digit/) },
  ]);
  expect(notes).toEqual([
    { note: expect.stringMatching(/no time: it counts as the oldest/), count: 2 },
    { note: expect.stringMatching(/were left out: "guid"/), count: 1 },
    { note: expect.stringMatching(/were left out: "started" and "total"/), count: 1 },
  ]);
  const host = new URL(other.url).host;
  expect(gaps).toEqual([
    { gap: `settings of devices: ${host} answered 404 (Not Found)`, count: 2 },
    { gap: `settings of podcasts: ${host} answered 404 (Not Found)`, count: 7 },
    { gap: `settings of episodes: ${host} answered 404 (Not Found)`, count: 1 },
    { gap: `device groups: ${host} answered 404 (Not Found)`, count: 1 },
  ]);

  expect(await readAll(to, ['/api/2/devices/bob.json', '/subscriptions/bob.json'])).toEqual({
    '/api/2/devices/bob.json': [
      { id: 'phone', caption: '', type: 'other', subscriptions: 3 },
      { id: 'a_b_c', caption: 'x'.repeat(255), type: 'other', subscriptions: 2 },
      { id: '7', caption: 'Seven', type: 'other', subscriptions: 0 },
      { id: 'pulled', caption: '', type: 'other', subscriptions: 1 },
    ],
    '/subscriptions/bob.json': [
      feed(1),
      'http://feeds.example/2',
      'https://feeds.example/3',
      feed(5),
      feed(6),
      feed(7),
    ],
  });
  const at = '2020-01-01T00:00:00';
  expect(await readAll(to, ['/api/2/episodes/bob.json'])).toEqual({
    '/api/2/episodes/bob.json': {
      actions: expect.arrayContaining([
        { podcast: feed(1), episode: media(1), action: 'play', timestamp: at },
        { podcast: feed(1), episode: media(2), action: 'download', timestamp: '1970-01-01T00:00:00' },
        { podcast: feed(1), episode: media(3), action: 'delete', timestamp: at, device: 'a_b_c' },
        { podcast: feed(1), episode: media(4), action: 'play', timestamp: at },
        { podcast: feed(1), episode: media(5), action: 'play', timestamp: at, position: 10 },
        { podcast: feed(1), episode: media(7), action: 'play', timestamp: '1970-01-01T00:00:00' },
      ]),
    },
  });
});

it('keeps the existing data of the account', async () => {
  const other = await open(QUIRKY, GPODDER_NET);
  const to = await openTestServer();
  await to.request('PUT', '/subscriptions/bob/phone.json', { auth: AUTH, body: [feed(20), feed(1)] });
  await to.request('POST', '/api/2/devices/bob/phone.json', { auth: AUTH, body: { caption: 'Mine', type: 'mobile' } });
  await to.request('POST', '/api/2/lists/bob/create.json?title=News', { auth: AUTH, body: [feed(30)] });
  await pull(to, other.url);
  expect(await readAll(to, ['/subscriptions/bob/phone.json'])).toEqual({
    '/subscriptions/bob/phone.json': [feed(20), feed(1), 'http://feeds.example/2', 'https://feeds.example/3'],
  });
  const [phone] = (await (await to.request('GET', '/api/2/devices/bob.json', { auth: AUTH })).json()) as unknown[];
  expect(phone).toMatchObject({ id: 'phone', caption: 'Mine', type: 'mobile' });
  const list = (await (await to.request('GET', '/api/2/lists/bob/list/news.json')).json()) as { url: string }[];
  expect(list.map(({ url }) => url)).toEqual([feed(30), feed(1), feed(8)]);
});

it.each([undefined, true, false])('keeps the device groups of both servers (sync_devices: %s)', async (isOn) => {
  const GROUPS = '/api/2/sync-devices/bob.json';
  const from = await openTestServer({}, 'socket');
  const to = await openTestServer();
  const settings = '/api/2/settings/bob/account.json';
  await from.request('POST', settings, { auth: AUTH, body: { set: { sync_devices: false } } });
  await to.request('POST', settings, { auth: AUTH, body: { set: isOn === undefined ? {} : { sync_devices: isOn } } });
  for (const [server, devices] of [
    [from, ['phone', 'tablet']],
    [to, ['laptop', 'car']],
  ] as const) {
    for (const device of [...devices, 'alone']) {
      await server.request('PUT', `/subscriptions/bob/${device}.json`, { auth: AUTH, body: [feed(1)] });
    }
    await server.request('POST', GROUPS, { auth: AUTH, body: { synchronize: [devices] } });
  }
  await pull(to, from.origin!);
  const { synchronized } = (await (await to.request('GET', GROUPS, { auth: AUTH })).json()) as {
    synchronized: string[][];
  };
  const sorted = synchronized.map((group) => group.toSorted()).toSorted();
  // A setting on both servers is replaced: switching it off dissolves the group that it had formed.
  const here = isOn === true ? [] : [['car', 'laptop']];
  expect(sorted).toEqual([...here, ['phone', 'tablet']]);
});

it('works with a server that supports nothing but devices', async () => {
  const other = await open(QUIRKY, GPODDER_NET);
  other.intercept = (path) => (path.includes('/devices/') ? undefined : { status: 501 });
  const to = await openTestServer();
  const { devices, gaps } = await pull(to, other.url);
  expect(devices).toBe(3);
  expect(gaps.map(({ gap }) => gap.replace(/: .* answered/, ': it answered'))).toEqual([
    'subscriptions of devices: it answered 501 (Not Implemented)',
    'subscriptions of the whole account: it answered 501 (Not Implemented)',
    'episode actions: it answered 501 (Not Implemented)',
    'favourite episodes: it answered 501 (Not Implemented)',
    'settings of the account (no other settings were requested): it answered 501 (Not Implemented)',
    'device groups: it answered 501 (Not Implemented)',
    'podcast lists: it answered 501 (Not Implemented)',
  ]);
});

it.each(['/subscriptions/bob/', '/api/2/episodes/', '/api/2/favorites/', '/api/2/lists/'])(
  'stops when the password is no longer accepted: %s',
  async (prefix) => {
    const other = await open(QUIRKY, GPODDER_NET);
    other.intercept = (path) => (path.startsWith(prefix) ? { status: 401 } : undefined);
    await expect(pull(await openTestServer(), other.url)).rejects.toThrow(
      /does not accept this user name and password/,
    );
    expect(other.requests.filter((path) => path.startsWith(prefix))).toHaveLength(1);
  },
);

it('requests no settings of further podcasts once those of one were temporarily unavailable', async () => {
  const other = await open(QUIRKY, GPODDER_NET);
  const isAsked = (path: string): boolean => path.includes('/settings/bob/podcast.json');
  other.intercept = (path) => (isAsked(path) ? { status: 503 } : undefined);
  const { gaps } = await pull(await openTestServer(), other.url);
  expect(gaps.filter(({ gap }) => gap.startsWith('settings of podcasts'))).toMatchObject([{ count: 1 }]);
  expect(new Set(other.requests.filter(isAsked)).size).toBe(1);
});

it('requests no further settings from a server without any, and imports favourites all the same', async () => {
  const other = await open(QUIRKY, GPODDER_NET);
  other.intercept = (path) => (path.includes('/settings/') ? { status: 404 } : undefined);
  const { settings } = await pull(await openTestServer(), other.url);
  expect(settings).toBe(1);
  expect(other.requests.filter((path) => path.includes('/settings/'))).toEqual(['/api/2/settings/bob/account.json']);
});

it('skips devices, favourites and lists that are not objects', async () => {
  const other = await open({ devices: [], subscriptions: {}, actions: [] });
  const answers: Record<string, unknown[]> = {
    devices: [null, { id: 'phone' }],
    favorites: [null],
    lists: ['news', null],
  };
  other.intercept = (path) => {
    const body = answers[/^\/api\/2\/(\w+)\/bob\.json/.exec(path)?.[1] ?? ''];
    return body && { status: 200, body: JSON.stringify(body) };
  };
  const { devices, lists, gaps } = await pull(await openTestServer(), other.url);
  expect([devices, lists]).toEqual([1, 0]);
  expect(gaps.map(({ gap }) => gap)).not.toContainEqual(expect.stringMatching(/^(favourite episodes|podcast lists)/));
});

it('reads the address of a feed from any of the names that servers give it', async () => {
  const feeds = [{ url: feed(1) }, { feed: feed(2) }, { feed_url: feed(3) }];
  const other = await open({ devices: [{ id: 'phone' }], subscriptions: { phone: feeds }, actions: [] });
  const to = await openTestServer();
  await pull(to, other.url);
  const path = '/subscriptions/bob/phone.json';
  expect(await readAll(to, [path])).toEqual({ [path]: [feed(1), feed(2), feed(3)] });
});

it('reads an empty array as no settings, as servers written in PHP send it', async () => {
  const other = await open(QUIRKY, GPODDER_NET);
  other.intercept = (path) => (path.includes('/settings/') ? { status: 200, body: '[]' } : undefined);
  const { settings, gaps } = await pull(await openTestServer(), other.url);
  expect(settings).toBe(1); // the favorite episode
  expect(gaps.map(({ gap }) => gap)).not.toContainEqual(expect.stringContaining('settings'));
});

it('reads null as an empty list or object, as servers written in Go send it', async () => {
  const other = await open({ ...QUIRKY, devices: [{ id: 'phone' }] }, GPODDER_NET);
  const answers = {
    devices: [{ id: 'phone' }],
    subscriptions: { add: [feed(1)], remove: null },
    episodes: { actions: null, timestamp: 1 },
    'sync-devices': { synchronized: null },
    settings: null,
    favorites: null,
    lists: null,
  };
  other.intercept = (path) => {
    const [, name] = /^\/api\/2\/([^/]+)/.exec(path) ?? [];
    if (name === undefined) return { status: 404 };
    return { status: 200, body: JSON.stringify(answers[name as keyof typeof answers]) };
  };
  const { subscriptions, gaps } = await pull(await openTestServer(), other.url);
  expect(subscriptions).toBe(1);
  expect(gaps.map(({ gap }) => gap)).toEqual([expect.stringMatching(/^subscriptions of the whole account: .* 404/)]);
});

it('keeps a feed that was removed and added again, on a server that lists it as both', async () => {
  const other = await open({ devices: [{ id: 'phone' }], subscriptions: { phone: [feed(1), feed(2)] }, actions: [] });
  const body = JSON.stringify({ add: [feed(1), feed(2)], remove: [feed(2), feed(3)], timestamp: 1 });
  other.intercept = (path) => (path.startsWith('/api/2/subscriptions/') ? { status: 200, body } : undefined);
  const to = await openTestServer();
  await pull(to, other.url);
  expect(await readAll(to, ['/subscriptions/bob.json'])).toEqual({ '/subscriptions/bob.json': [feed(1), feed(2)] });
});

it('reports subscriptions and lists of which no entry has a known address', async () => {
  const list = { name: 'news', title: 'News', entries: [{ podcast: feed(1) }] };
  const devices = [{ id: 'phone' }];
  const other = await open({ devices, subscriptions: { phone: [{ podcast: feed(1) }] }, actions: [], lists: [list] });
  const { subscriptions, lists, gaps } = await pull(await openTestServer(), other.url);
  expect([subscriptions, lists]).toEqual([0, 0]);
  const unknown = (what: string) => `the server returned ${what} in a format that podsync does not know`;
  expect(gaps.map(({ gap }) => gap)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^subscriptions of devices: /),
      `subscriptions of the whole account: ${unknown('subscriptions')}`,
      `the podcast list News: ${unknown('the podcast list News')}`,
    ]),
  );
});

it('keeps the time of an action whose timestamp is a text of digits', async () => {
  const actions = ['1600000000', '1600000000.5', '1600000000123'].map((timestamp, n) => ({
    podcast: feed(1),
    episode: media(n),
    action: 'download',
    timestamp,
  }));
  const other = await open({ devices: [], subscriptions: {}, actions });
  const to = await openTestServer();
  expect((await pull(to, other.url)).notes).toEqual([]);
  expect(await readAll(to, ['/api/2/episodes/bob.json'])).toEqual({
    '/api/2/episodes/bob.json': {
      actions: actions.map((action) => ({ ...action, timestamp: '2020-09-13T12:26:40' })),
    },
  });
});
