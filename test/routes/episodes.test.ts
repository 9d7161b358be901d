import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';

const auth = 'bob:secret';
const EPISODES = '/api/2/episodes/bob.json';
const podcast = 'http://example.org/feed';
const episode = 'http://example.org/1.mp3';
const play = { podcast, episode, action: 'play', timestamp: '2024-05-06T07:08:09' };

async function upload({ request }: TestServer, actions: unknown): Promise<any> {
  const answer = await request('POST', EPISODES, { auth, body: actions });
  expect([answer.status, await answer.clone().text()]).toEqual([200, expect.anything()]);
  return answer.json();
}

async function download({ request }: TestServer, query = ''): Promise<any> {
  const answer = await request('GET', `${EPISODES}${query}`, { auth });
  expect(answer.status).toBe(200);
  return answer.json();
}

describe('an uploaded action', () => {
  const asSent = [
    {},
    { device: 'phone', guid: 'g-1' },
    { guid: 'x'.repeat(8192) },
    { position: 5 },
    { started: 0, position: 5, total: 9 },
  ];
  it.each<[object, object]>([
    ...asSent.map((fields): [object, object] => [fields, fields]),
    [{ device: '', guid: '' }, {}],
    [{ guid: 'x'.repeat(8193) }, {}],
    [{ guid: 'g\ud83d' }, {}],
    [{ device: null, guid: null, started: null }, {}],
    [{ action: 'PLAY' }, {}],
    [{ colour: 'red' }, {}],
    [
      { started: '0', position: '05', total: '9' },
      { started: 0, position: 5, total: 9 },
    ],
    [{ started: -1, position: -1, total: -1 }, {}],
    [{ started: '-1', position: '-1', total: '-1' }, {}],
    [{ started: -1, position: 0, total: -1 }, { position: 0 }],
    [{ started: 0, position: 5, total: -1 }, { position: 5 }],
    [{ started: -1, total: 9 }, {}],
    [{ started: -1, position: 5, total: 9 }, { position: 5 }],
    [{ action: 'delete', started: 1, position: 'x', total: -1 }, { action: 'delete' }],
    [{ timestamp: '2024-05-06 07:08:09.9Z' }, {}],
    [{ timestamp: '2024-05-06T09:08:09+02:00' }, {}],
    [{ timestamp: 1714979289 }, {}],
    [
      { action: 'new', timestamp: undefined },
      { action: 'new', timestamp: '2023-11-14T22:13:20' },
    ],
    [{ timestamp: '' }, { timestamp: '2023-11-14T22:13:20' }],
  ])('with %j is returned with %j', async (sent, returned) => {
    const server = await openTestServer();
    await upload(server, [{ ...play, ...sent }]);
    expect((await download(server)).actions).toEqual([{ ...play, ...returned }]);
  });
});

it('rewrites URLs, and skips actions with unusable URLs', async () => {
  const server = await openTestServer();
  const { update_urls } = await upload(server, [
    { ...play, episode: ' HTTP://example.org/2.mp3' },
    { ...play, episode: 'http://example.org/ä.mp3' },
    { ...play, podcast: '' },
    { ...play, episode: null },
    { action: 'nonsense' },
    { ...play, podcast: 'http://user:pass@example.org/feed' },
    { ...play, podcast: 'http://example.org/füd' },
  ]);
  expect(update_urls).toEqual([
    [' HTTP://example.org/2.mp3', 'http://example.org/2.mp3'],
    ['http://example.org/ä.mp3', ''],
    ['', ''],
    ['http://user:pass@example.org/feed', podcast],
    ['http://example.org/füd', ''],
  ]);
  expect((await download(server)).actions).toEqual([{ ...play, episode: 'http://example.org/2.mp3' }, play]);
});

it('keeps the passwords in feed URLs if the server keeps them, and finds actions by such a URL', async () => {
  const server = await openTestServer({ keepUrlCredentials: true });
  const own = { ...play, podcast: 'http://user:pass@example.org/feed' };
  expect((await upload(server, [own, play])).update_urls).toEqual([]);
  const query = `?podcast=${encodeURIComponent(own.podcast)}`;
  expect((await download(server, query)).actions).toEqual([own]);
});

it.each<[unknown]>([
  ['{}'],
  [''],
  ['null'],
  [[play, 'nonsense']],
  [[play, null]],
  [[play, [play]]],
  [[play, { ...play, position: '1e3' }]],
  [[play, { ...play, position: '' + 10 ** 16 }]],
  [[play, { ...play, action: 'tip' }]],
  [[play, { ...play, action: undefined }]],
  [[play, { ...play, device: 'a/b' }]],
  [[play, { ...play, device: 5 }]],
  [[play, { ...play, guid: {} }]],
  [[play, { ...play, timestamp: 'yesterday' }]],
  [[play, { ...play, timestamp: '2024-02-30T00:00:00' }]],
  [[play, { ...play, position: 1.5 }]],
  [[play, { ...play, position: 2 ** 31 }]],
  [[play, { ...play, started: 1, position: 2 }]],
  [[play, { ...play, total: 1, position: 2 }]],
  [[play, { ...play, started: 1, total: 2 }]],
  [[play, { ...play, podcast: 5 }]],
])('refuses the whole upload of %j', async (body) => {
  const server = await openTestServer();
  const answer = await server.request('POST', EPISODES, { auth, body });
  expect(answer.status).toBe(400);
  if (typeof body !== 'string') expect(((await answer.json()) as { message: string }).message).toMatch(/^action 1: /);
  expect((await download(server)).actions).toEqual([]);
});

it('stores a repeated upload once', async () => {
  const server = await openTestServer();
  const first = await upload(server, [play, { ...play, position: 5 }]);
  await upload(server, [play, play, { ...play, position: 5 }, { ...play, position: 6 }]);
  expect((await download(server)).actions).toHaveLength(3);
  expect((await download(server, `?since=${first.timestamp}`)).actions).toEqual([{ ...play, position: 6 }]);
});

it('combines the filters', async () => {
  const server = await openTestServer();
  const other = 'http://example.org/other';
  const { timestamp } = await upload(server, [
    { ...play, device: 'phone', position: 1 },
    { ...play, device: 'laptop', position: 2, timestamp: '2024-05-06T08:00:00' },
    { ...play, podcast: other, device: 'phone', position: 3 },
  ]);
  await upload(server, [{ ...play, device: 'phone', position: 4, timestamp: '2020-01-01T00:00:00' }]);
  const positions = async (query: string): Promise<number[]> =>
    (await download(server, query)).actions.map((action: { position: number }) => action.position);
  const feed = encodeURIComponent(podcast);
  expect(await positions('')).toEqual([1, 2, 3, 4]);
  expect(await positions(`?podcast=${feed}`)).toEqual([1, 2, 4]);
  expect(await positions(`?podcast=${encodeURIComponent(` ${podcast}#x`)}`)).toEqual([1, 2, 4]);
  expect(await positions('?device=phone')).toEqual([1, 3, 4]);
  expect(await positions(`?device=phone&podcast=${feed}`)).toEqual([1, 4]);
  expect(await positions(`?since=${timestamp}`)).toEqual([4]);
  expect(await positions('?aggregated=true')).toEqual([2, 3]);
  expect(await positions('?aggregated=1')).toEqual([2, 3]);
  for (const no of ['false', '0', '']) expect(await positions(`?aggregated=${no}`)).toEqual([1, 2, 3, 4]);
  expect(await positions(`?aggregated=true&device=phone&podcast=${feed}`)).toEqual([1]);
  expect(await positions('?device=nowhere')).toEqual([]);
  expect(await positions('?podcast=nonsense')).toEqual([]);
  expect(await positions('?since=2147483647')).toEqual([]);
});

it('returns a long history completely', async () => {
  const server = await openTestServer();
  for (let batch = 0; batch < 5; batch++) {
    await upload(
      server,
      Array.from({ length: 777 }, (_, at) => ({ ...play, position: batch * 777 + at })),
    );
  }
  const { actions, timestamp } = await download(server);
  expect(actions.map((action: { position: number }) => action.position)).toEqual([...Array(5 * 777).keys()]);
  expect((await download(server, `?since=${timestamp}`)).actions).toEqual([]);
});

it('does not skip what another device has just uploaded', async () => {
  const server = await openTestServer();
  const pulled = await download(server, '?since=0');
  await upload(server, [{ ...play, device: 'laptop' }]);
  const pushed = await upload(server, [{ ...play, device: 'phone', position: 1 }]);
  const missed = await download(server, `?since=${pushed.timestamp}`);
  expect(missed.actions.map(({ device }: { device: string }) => device)).toEqual(['laptop', 'phone']);
  // Kasts stores the mark + 1.
  expect((await download(server, `?since=${pushed.timestamp + 1}`)).actions).toHaveLength(2);
  expect(pushed.timestamp).toBeGreaterThanOrEqual(pulled.timestamp);
  server.clock.now += 120;
  const later = await upload(server, [{ ...play, device: 'phone', position: 2 }]);
  expect((await download(server, `?since=${later.timestamp}`)).actions).toEqual([]);
});

describe('a play with only a position', () => {
  const episodes = [1, 2, 3].map((n) => ({ url: `http://example.org/${n}.mp3`, guid: `g-${n}` }));
  const [one, two, three] = episodes.map(({ url }) => url) as [string, string, string];

  /** A server that knows the duration of the first episode of the feed. */
  async function openWithFeed(actions: readonly object[]): Promise<TestServer> {
    const server = await openTestServer({ operator: true });
    await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [podcast] });
    await upload(server, actions);
    await recordFeed(server.storage, podcast, {}, [{ ...episodes[0]!, duration: 3600 }, episodes[1]!]);
    return server;
  }

  const plays = [
    { ...play, episode: one, position: 5 },
    { ...play, episode: 'http://cdn.example.org/1', guid: 'g-1', position: 6 },
  ];

  it('is returned with the duration from the feed, so that apps that need all three keep the position', async () => {
    const server = await openWithFeed(plays);
    const expected = plays.map((action) => ({ ...action, started: 0, total: 3600 }));
    for (const query of ['', '?aggregated=true', `?podcast=${podcast}`]) {
      expect((await download(server, query)).actions).toEqual(expected);
    }
  });

  it('is returned with that duration, too, if the action has another GUID than the feed', async () => {
    const server = await openWithFeed([{ ...play, episode: one, guid: 'former', position: 7 }]);
    expect((await download(server)).actions).toMatchObject([{ guid: 'former', position: 7, total: 3600 }]);
  });

  it('is returned with the duration of the episode that has its GUID, even if another one has its URL now', async () => {
    const server = await openWithFeed([{ ...play, episode: one, guid: 'g-2', position: 7 }]);
    await recordFeed(server.storage, podcast, {}, [{ ...episodes[1]!, duration: 60 }]);
    expect((await download(server)).actions).toMatchObject([{ episode: one, position: 7, total: 60 }]);
  });

  it('is returned as sent if the duration is unknown or other times were sent', async () => {
    const others = [
      { ...play, episode: two, position: 5 },
      { ...play, episode: three, position: 5 },
      { ...play, podcast: 'http://example.org/other', episode: one, position: 5 },
      { ...play, episode: one, started: 1, position: 5, total: 9 },
      { ...play, episode: one },
      { ...play, episode: one, action: 'delete' },
    ];
    expect((await download(await openWithFeed(others))).actions).toEqual(others);
  });

  it('is returned as sent to podsync pull, which would import a listening time that nobody reported', async () => {
    const { request } = await openWithFeed(plays);
    const options = { auth, headers: { 'user-agent': 'podsync/1.0.0' } };
    const answer = await request('GET', EPISODES, options);
    expect(await answer.json()).toEqual({ actions: plays, timestamp: expect.any(Number) });
    const nextcloud = await request('GET', '/index.php/apps/gpoddersync/episode_action', options);
    const times = plays.map(({ position }) => ({ started: -1, position, total: -1 }));
    expect(await nextcloud.json()).toMatchObject({ actions: times });
  });

  it('is stored and backed up as sent', async () => {
    const server = await openWithFeed(plays);
    const backup = await (await server.request('GET', '/operator/backup')).text();
    expect(backup).toContain('"play":{"position":5}');
    expect(backup).not.toContain('"total"');
    await upload(server, plays);
    expect((await download(server)).actions).toHaveLength(plays.length);
  });
});
