import { expect, it, vi } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { ok, openTestServer } from '../server.ts';
import { A, act, B, episodes, media, news, settle, subscribe, UPDATES } from './update-requests.ts';

const auth = 'bob:secret';

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
