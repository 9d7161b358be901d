import { expect, it } from 'vitest';
import { ok, openTestServer } from '../server.ts';

const auth = 'bob:secret';
const podcast = 'http://example.org/feed';
const episode = 'http://example.org/1.mp3';
const play = { podcast, episode, action: 'play', timestamp: '2024-05-06T07:08:09' };

it.each(['POST', 'PUT'])('shares subscriptions and devices with version 2 (devices saved by %s)', async (method) => {
  const server = await openTestServer();
  const delta = { add: [` ${podcast}`], remove: [] };
  expect(await ok(server, 'POST', '/api/1/subscriptions/bob/phone.json', delta)).toEqual({
    timestamp: expect.any(Number),
    update_urls: [[` ${podcast}`, podcast]],
  });
  expect(await ok(server, method, '/api/1/devices/bob/phone.json', { caption: 'Phone', type: 'mobile' })).toBe('');
  for (const version of [1, 2]) {
    expect(await ok(server, 'GET', `/api/${version}/subscriptions/bob/phone.json?since=0`)).toMatchObject({
      add: [podcast],
    });
    expect(await ok(server, 'GET', `/api/${version}/devices/bob.json`)).toEqual([
      { id: 'phone', caption: 'Phone', type: 'mobile', subscriptions: 1 },
    ]);
  }
});

it.each<[sent: object, version1: object, version2: object]>([
  [{ position: '00:01:05' }, { position: '00:01:05' }, { position: 65 }],
  [{ position: '1:05' }, { position: '00:01:05' }, { position: 65 }],
  [{ position: '100:00:00' }, { position: '100:00:00' }, { position: 360_000 }],
  [{ position: 65, started: 1 }, { position: '00:01:05' }, { position: 65 }],
  [{ action: 'Play', position: '00:01:05' }, { position: '00:01:05' }, { position: 65 }],
  [{}, {}, {}],
  [
    { episode: 'urn:uuid:ä 1' },
    { episode: 'urn:uuid:ä 1', guid: 'urn:uuid:ä 1' },
    { episode: 'urn:uuid:ä 1', guid: 'urn:uuid:ä 1' },
  ],
  [{ action: 'delete', position: 'nonsense' }, { action: 'delete' }, { action: 'delete' }],
])('an action with %j has %j in version 1 and %j in version 2', async (sent, version1, version2) => {
  const server = await openTestServer();
  await ok(server, 'POST', '/api/1/episodes/bob.json', [{ ...play, ...sent }]);
  expect((await ok(server, 'GET', '/api/1/episodes/bob.json')).actions).toEqual([{ ...play, ...version1 }]);
  expect((await ok(server, 'GET', '/api/2/episodes/bob.json')).actions).toEqual([{ ...play, ...version2 }]);
});

it.each([
  { ...play, position: '00:99:99' },
  { ...play, position: '9999999999:00:00' },
  { ...play, position: 'soon' },
])('refuses %j', async (action) => {
  const { request } = await openTestServer();
  expect((await request('POST', '/api/1/episodes/bob.json', { auth, body: [action] })).status).toBe(400);
});

it('ignores a GUID that is not a string', async () => {
  const server = await openTestServer();
  const { update_urls } = await ok(server, 'POST', '/api/1/episodes/bob.json', [{ ...play, episode: 'urn:\ud800' }]);
  expect(update_urls).toEqual([['urn:\ud800', '']]);
  expect((await ok(server, 'GET', '/api/1/episodes/bob.json')).actions).toEqual([]);
});

it('omits the times of version 2 except for the position', async () => {
  const server = await openTestServer();
  await ok(server, 'POST', '/api/2/episodes/bob.json', [{ ...play, started: 1, position: 65, total: 100 }]);
  expect((await ok(server, 'GET', '/api/1/episodes/bob.json')).actions).toEqual([{ ...play, position: '00:01:05' }]);
});

it('filters by the current feeds of a device', async () => {
  const server = await openTestServer();
  const other = 'http://example.org/other';
  await ok(server, 'POST', '/api/2/episodes/bob.json', [
    { ...play, device: 'laptop' },
    { ...play, podcast: other, device: 'phone' },
  ]);
  await ok(server, 'PUT', '/subscriptions/bob/phone.json', [podcast]);
  const podcasts = async (version: number): Promise<string[]> =>
    (await ok(server, 'GET', `/api/${version}/episodes/bob.json?device=phone`)).actions.map(
      (action: { podcast: string }) => action.podcast,
    );
  expect(await podcasts(1)).toEqual([podcast]);
  expect(await podcasts(2)).toEqual([other]);
});
