import { expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { ok, openTestServer, type TestServer } from '../server.ts';
import { A, act, ACTIONS, B, episodes, media, news, settle, subscribe, UPDATES } from './update-requests.ts';

/** A server on which the phone subscribes to a feed with this many episodes. */
async function openWith(count: number): Promise<TestServer> {
  const server = await openTestServer();
  await subscribe(server, [A]);
  await recordFeed(server.storage, A, {}, episodes(count));
  return server;
}

it('returns the newest state of episodes with actions since the mark, on any device', async () => {
  const server = await openWith(4);
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
  expect(plain.updates.map((update: any) => 'action' in update)).toEqual([false, false, false]);
});

it('finds an episode by the GUID in an action', async () => {
  const server = await openWith(4);
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
  const server = await openWith(2);
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await act(server, 1, 'play', '2024-01-01T00:00:00', A, { guid: 'former' });
  const { updates } = await ok(server, 'GET', `${UPDATES}?since=${timestamp}`);
  expect(updates).toMatchObject([{ url: media(1), released: '2020-09-13T12:26:40', status: 'play' }]);
});

it('returns an episode as played whose URL another one has now, but not the other one', async () => {
  const server = await openWith(1);
  await act(server, 1, 'play', '2024-01-01T00:00:00', A, { guid: 'g1' });
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  const moved = { url: media(10), guid: 'g1', releasedAt: 1_600_000_000 };
  await recordFeed(server.storage, A, {}, [{ url: media(1), guid: 'g2', releasedAt: 1_600_000_001 }, moved]);
  await act(server, 1, 'play', '2024-01-01T00:00:01', A, { guid: 'g1' });
  expect(news(await ok(server, 'GET', `${UPDATES}?since=${timestamp}`))).toEqual([
    [1, 'new'],
    [10, 'play'],
  ]);
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

it('reports an episode of an added feed as played if it was played under a former URL', async () => {
  const server = await openWith(3);
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

it('finds a newer action that was uploaded before the mark under a former URL of the episode', async () => {
  const server = await openWith(1);
  await act(server, 1, 'play', '2024-01-02T00:00:00');
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await recordFeed(server.storage, A, {}, [{ url: media(10), guid: 'g1' }]);
  await act(server, 10, 'download', '2024-01-01T00:00:00');
  expect(news(await ok(server, 'GET', `${UPDATES}?since=${timestamp}`))).toEqual([[10, 'play']]);
});

it('returns a played episode as played if it is new because its feed moved', async () => {
  const server = await openWith(1);
  await recordFeed(server.storage, A, {}, [{ url: media(10), guid: 'g1' }]);
  await act(server, 1, 'play', '2024-01-01T00:00:00');
  settle(server);
  const { timestamp } = await ok(server, 'GET', UPDATES);
  await subscribe(server, [B], [], 'tv');
  await recordFeed(server.storage, B, {}, [{ url: media(10), guid: 'g1' }]);
  await recordFeed(server.storage, A, {}, [{ url: media(10), guid: 'g1' }], { movedTo: B });
  expect(news(await ok(server, 'GET', `${UPDATES}?since=${timestamp}`))).toEqual([[10, 'play']]);
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
