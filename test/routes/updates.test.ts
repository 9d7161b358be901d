import { expect, it, vi } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { ok, openTestServer, type TestServer } from '../server.ts';

const auth = 'bob:secret';
const A = 'http://example.org/a';
const B = 'http://example.org/b';
const UPDATES = '/api/2/updates/bob/phone.json';
const ACTIONS = '/api/2/episodes/bob.json';

const media = (n: number): string => `http://example.org/${n}.mp3`;
/** Newest first, as in feeds. */
const episodes = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    url: media(i + 1),
    guid: `g${i + 1}`,
    releasedAt: 1_600_000_000 + i,
  })).toReversed();

const subscribe = (server: TestServer, add: string[], remove: string[] = [], device = 'phone'): Promise<any> =>
  ok(server, 'POST', `/api/2/subscriptions/bob/${device}.json`, { add, remove });

const act = (server: TestServer, n: number, action: string, timestamp: string, podcast = A, more = {}): Promise<any> =>
  ok(server, 'POST', ACTIONS, [{ podcast, episode: media(n), action, timestamp, ...more }]);

/** Waits longer than the time by which a shared storage lowers the mark, so that nothing is repeated. */
const settle = ({ clock }: TestServer): void => void (clock.now += 60);

const news = (answer: any): unknown =>
  answer.updates.map(({ url, status }: any) => [Number(/\d+/.exec(url)![0]), status]);

it('returns added podcasts completely and removed ones by URL', async () => {
  const server = await openTestServer();
  await subscribe(server, [A, B]);
  await recordFeed(server.storage, A, { title: 'Alpha', description: 'About A.' });
  settle(server);
  const first = await ok(server, 'GET', UPDATES);
  expect(first.add).toMatchObject([
    { url: A, title: 'Alpha', description: 'About A.', subscribers: 1, logo_url: null, website: '' },
    { url: B, title: B },
  ]);
  expect(first.add[0].svc_link).toBe(first.add[0].mygpo_link);
  expect(first).toMatchObject({ remove: [], updates: [], timestamp: expect.any(Number) });
  await subscribe(server, [], [A]);
  expect(await ok(server, 'GET', `${UPDATES}?since=${first.timestamp}`)).toMatchObject({
    add: [],
    remove: [A],
    rem: [A],
  });
});

it('returns the episodes that were first seen since the mark', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await recordFeed(server.storage, A, { title: 'Alpha' }, episodes(2));
  settle(server);
  const first = await ok(server, 'GET', UPDATES);
  expect(news(first)).toEqual([
    [2, 'new'],
    [1, 'new'],
  ]);
  expect(first.updates[0]).toMatchObject({
    url: media(2),
    podcast_title: 'Alpha',
    podcast_url: A,
    released: '2020-09-13T12:26:41',
    status: 'new',
  });
  expect(news(await ok(server, 'GET', `${UPDATES}?since=${first.timestamp}`))).toEqual([]);
  await recordFeed(server.storage, A, { title: 'Alpha' }, episodes(3));
  settle(server);
  const later = await ok(server, 'GET', `${UPDATES}?since=${first.timestamp}`);
  expect(news(later)).toEqual([[3, 'new']]);
  expect(news(await ok(server, 'GET', `${UPDATES}?since=${later.timestamp}`))).toEqual([]);
});

it('returns the newest state of episodes with actions since the mark, on any device', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await recordFeed(server.storage, A, {}, episodes(4));
  await act(server, 1, 'play', '2024-01-02T00:00:00', A, { position: 7, started: 0, total: 9, device: 'tv' });
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await act(server, 1, 'download', '2024-01-01T00:00:00');
  await act(server, 2, 'new', '2024-01-01T00:00:00');
  await act(server, 9, 'delete', '2024-01-01T00:00:00');
  await act(server, 1, 'play', '2024-01-01T00:00:00', B);
  const answer = await ok(server, 'GET', `${UPDATES}?since=${timestamp}&include_actions=true`);
  expect(news(answer)).toEqual([
    [2, 'new'],
    [1, 'play'],
    [9, 'delete'],
  ]);
  expect(answer.updates.map(({ action }: any) => action)).toEqual([
    undefined,
    {
      podcast: A,
      episode: media(1),
      device: 'tv',
      action: 'play',
      timestamp: '2024-01-02T00:00:00',
      position: 7,
      started: 0,
      total: 9,
    },
    { podcast: A, episode: media(9), action: 'delete', timestamp: '2024-01-01T00:00:00' },
  ]);
  expect(answer.updates[2]).toMatchObject({ title: media(9), podcast_title: A, released: '' });
  const plain = await ok(server, 'GET', `${UPDATES}?since=${timestamp}`);
  expect(plain.updates.every((update: any) => !('action' in update))).toBe(true);
});

it('finds an episode by the GUID in an action', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await recordFeed(server.storage, A, {}, episodes(4));
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  const play = { podcast: A, action: 'play', timestamp: '2024-01-01T00:00:00' };
  await ok(server, 'POST', '/api/1/episodes/bob.json', [{ ...play, episode: 'g1' }]);
  await ok(server, 'POST', ACTIONS, [{ ...play, episode: 'http://example.org/elsewhere.mp3', guid: 'g2' }]);
  const { updates } = await ok(server, 'GET', `${UPDATES}?since=${timestamp}`);
  expect(updates).toMatchObject([
    { url: media(2), released: '2020-09-13T12:26:41', status: 'play' },
    { url: media(1), released: '2020-09-13T12:26:40', status: 'play' },
  ]);
});

it('finds an episode by its URL if its feed has another GUID than the action', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await recordFeed(server.storage, A, {}, episodes(2));
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await act(server, 1, 'play', '2024-01-01T00:00:00', A, { guid: 'former' });
  const { updates } = await ok(server, 'GET', `${UPDATES}?since=${timestamp}`);
  expect(updates).toMatchObject([{ url: media(1), released: '2020-09-13T12:26:40', status: 'play' }]);
});

it('returns a new episode with the state that it got before it was in its feed', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await act(server, 1, 'play', '2024-01-01T00:00:00');
  await act(server, 90, 'delete', '2024-01-01T00:00:00', A, { guid: 'g2' });
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await recordFeed(server.storage, A, {}, episodes(3));
  expect(news(await ok(server, 'GET', `${UPDATES}?since=${timestamp}`))).toEqual([
    [3, 'new'],
    [2, 'delete'],
    [1, 'play'],
  ]);
});

it.each([
  ['the action with the later time', ['2024-01-02T00:00:00', '2024-01-01T00:00:00'], 'play'],
  ['the action with the later time, uploaded last', ['2024-01-01T00:00:00', '2024-01-02T00:00:00'], 'delete'],
  ['of two at the same time the one uploaded last', ['2024-01-01T00:00:00', '2024-01-01T00:00:00'], 'delete'],
])('returns %s, whichever names they have for the episode', async (_, [first, second], status) => {
  const byUrl = { episode: media(1) };
  const byGuid = { episode: media(90), guid: 'g1' };
  for (const [former, latter] of [
    [byUrl, byUrl],
    [byUrl, byGuid],
    [byGuid, byUrl],
    [byGuid, { ...byGuid, episode: media(91) }],
  ]) {
    for (const isKnown of [true, false]) {
      const server = await openTestServer();
      await subscribe(server, [A]);
      if (isKnown) await recordFeed(server.storage, A, {}, episodes(1));
      await ok(server, 'POST', ACTIONS, [{ podcast: A, action: 'play', timestamp: first, ...former }]);
      await ok(server, 'POST', ACTIONS, [{ podcast: A, action: 'delete', timestamp: second, ...latter }]);
      settle(server);
      const { timestamp } = isKnown ? { timestamp: 0 } : await ok(server, 'GET', UPDATES);
      if (!isKnown) await recordFeed(server.storage, A, {}, episodes(1));
      const answer = await ok(server, 'GET', `${UPDATES}?since=${timestamp}`);
      expect(news(answer), JSON.stringify([isKnown, former, latter])).toEqual([[1, status]]);
    }
  }
});

it('returns the five newest episodes of an added feed, however long they have been known', async () => {
  const server = await openTestServer();
  await subscribe(server, [A], [], 'tv');
  await recordFeed(server.storage, A, {}, episodes(8));
  await act(server, 8, 'play', '2024-01-01T00:00:00');
  await subscribe(server, [B]);
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await subscribe(server, [A]);
  const answer = await ok(server, 'GET', `${UPDATES}?since=${timestamp}`);
  expect(answer.add.map(({ url }: any) => url)).toEqual([A]);
  expect(news(answer)).toEqual([
    [8, 'play'],
    [7, 'new'],
    [6, 'new'],
    [5, 'new'],
    [4, 'new'],
  ]);
});

it('reports an episode of an added feed as played if it was played under a former URL', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await recordFeed(server.storage, A, {}, episodes(3));
  await act(server, 2, 'play', '2024-01-01T00:00:00');
  await act(server, 3, 'delete', '2024-01-01T00:00:00');
  await recordFeed(server.storage, A, {}, [{ url: media(20), guid: 'g2', releasedAt: 1_600_000_001 }]);
  await subscribe(server, [B], [], 'tv');
  settle(server);
  const { timestamp } = await ok(server, 'GET', '/api/2/updates/bob/tv.json');
  await subscribe(server, [A], [], 'tv');
  expect(news(await ok(server, 'GET', `/api/2/updates/bob/tv.json?since=${timestamp}`))).toEqual([
    [3, 'delete'],
    [20, 'play'],
    [1, 'new'],
  ]);
});

it('reports an episode of an added feed as played if it was played before the feed moved', async () => {
  const server = await openTestServer();
  await subscribe(server, [A], [], 'tv');
  await recordFeed(server.storage, A, {}, episodes(2));
  await act(server, 1, 'play', '2024-01-01T00:00:00');
  await recordFeed(server.storage, A, {}, episodes(2), { movedTo: B });
  await subscribe(server, []);
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await subscribe(server, [B]);
  expect(news(await ok(server, 'GET', `${UPDATES}?since=${timestamp}`))).toEqual([
    [2, 'new'],
    [1, 'play'],
  ]);
});

it('repeats no episodes if the podcast is added under a second URL', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await recordFeed(server.storage, A, {}, episodes(2), { movedTo: B });
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await subscribe(server, [B]);
  await recordFeed(server.storage, B, {}, episodes(3));
  const { add, updates } = await ok(server, 'GET', `${UPDATES}?since=${timestamp}`);
  expect(add).toMatchObject([{ url: B }]);
  expect(updates).toMatchObject([{ url: media(3), podcast_url: A }]);
});

it('returns at most the fifty newest episodes of a feed', async () => {
  const server = await openTestServer();
  await subscribe(server, [A, B]);
  await recordFeed(server.storage, A, {}, episodes(60));
  await recordFeed(server.storage, B, {}, [{ url: media(99) }]);
  await act(server, 1, 'play', '2024-01-01T00:00:00');
  const { updates } = await ok(server, 'GET', UPDATES);
  expect(updates).toHaveLength(51);
  expect(updates[0].url).toBe(media(60));
  expect(updates[49].url).toBe(media(11));
});

it('keeps the URL that the device subscribes to when a feed has moved', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await recordFeed(server.storage, A, { title: 'Moved' }, episodes(1), { movedTo: 'http://example.org/new' });
  await act(server, 1, 'play', '2024-01-01T00:00:00');
  const answer = await ok(server, 'GET', UPDATES);
  expect(answer.add).toMatchObject([{ url: A, title: 'Moved' }]);
  expect(answer.updates).toMatchObject([{ podcast_url: A, podcast_title: 'Moved', status: 'play' }]);
});

it('loses nothing whichever clock is fast, even for a client that adds one to its mark', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  const seen = new Map<string, string>();
  let since = 0;
  const pull = async (): Promise<void> => {
    const answer = await ok(server, 'GET', `${UPDATES}?since=${since}`);
    since = answer.timestamp + 1;
    for (const { url, status } of answer.updates) seen.set(url, status);
  };
  for (let n = 1; n <= 12; n += 1) {
    // First one of the clocks is some uploads ahead, then the other.
    for (let burst = 0; burst < (n % 3) * 4; burst += 1) {
      await act(server, n, 'download', `2024-01-01T00:00:0${burst}`, B);
    }
    await recordFeed(server.storage, A, {}, episodes(n));
    if (n % 2 === 0) await pull();
    await act(server, n, 'play', '2024-01-01T00:00:00');
    await pull();
  }
  expect([...seen.values()]).toEqual(Array.from({ length: 12 }, () => 'play'));
});

it.each([
  ['/api/2/updates/bob/laptop.json', auth, 404],
  ['/api/2/updates/bob/a%2Fb.json', auth, 400],
  [UPDATES, undefined, 401],
  ['/api/2/updates/eve/phone.json', auth, 403],
  [`${UPDATES}?since=x`, auth, 400],
  [`${UPDATES}?include_actions=maybe`, auth, 400],
  [`${UPDATES}?since=99999999999`, auth, 200],
])('GET %s as %s is %d', async (path, as, status) => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  expect((await server.request('GET', path, as ? { auth: as } : {})).status).toBe(status);
  expect(await ok(server, 'GET', '/api/2/devices/bob.json')).toHaveLength(1);
});

it('returns the episodes of a feed that moves during the request', async () => {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await recordFeed(server.storage, A);
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await recordFeed(server.storage, A, {}, episodes(1));
  const { podcasts } = server.storage;
  for (const verb of ['find', 'episodesSince'] as const) {
    const asked = podcasts[verb].bind(podcasts) as (...args: any[]) => Promise<any>;
    const spy = vi.spyOn(podcasts, verb).mockImplementationOnce(async (...args: any[]) => {
      const answer = await asked(...args);
      await recordFeed(server.storage, A, {}, episodes(1), { movedTo: `${B}/${verb}` });
      return answer;
    });
    expect(news(await ok(server, 'GET', `${UPDATES}?since=${timestamp}`)), verb).toEqual([[1, 'new']]);
    expect(spy).toHaveBeenCalled();
    spy.mockRestore();
  }
});
