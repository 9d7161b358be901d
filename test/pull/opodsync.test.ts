import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { feed, media, open, pull, readAll } from './fixtures.ts';
import type { Intercepted } from './other-server.ts';

/*
 * oPodSync, commit 18095b1 of 2026-05-01. All devices of an account share one list, which keeps the feeds that were removed;
 * only the changes since the beginning tell them apart.
 */

const NOT_IMPLEMENTED = { status: 503, body: { code: 503, message: 'Not implemented' } };
const listed = (url: string) => ({ feed: url, title: null, website: null, description: null });

/** Its responses to the user bob; unknown paths are pages of its site. */
const ANSWERS: Record<string, { status?: number; body?: unknown }> = {
  '/api/2/devices/bob.json': {
    body: [
      { caption: 'Phone', type: 'mobile', subscriptions: 0, id: 'phone', user: 1, deviceid: 'phone', name: 'Phone' },
      { subscriptions: 0, id: 'my.laptop', user: 1, deviceid: 'my.laptop', name: null },
    ],
  },
  '/subscriptions/bob.json': { body: [feed(1), feed(2), feed(3)].map(listed) },
  '/subscriptions/bob/phone.json': { body: [feed(1), feed(2), feed(3)].map(listed) },
  '/subscriptions/bob/my.laptop.json': { body: [feed(1), feed(2), feed(3)].map(listed) },
  '/api/2/subscriptions/bob/phone.json?since=0': {
    body: { add: [feed(1), feed(3)], remove: [feed(2)], update_urls: [], timestamp: 1795646300 },
  },
  '/api/2/subscriptions/bob/my.laptop.json?since=0': {
    body: { add: [feed(1), feed(3)], remove: [feed(2)], update_urls: [], timestamp: 1795646300 },
  },
  '/api/2/episodes/bob.json?since=0': {
    body: {
      timestamp: 1795646301,
      actions: [
        { timestamp: '2024-01-02T03:04:06Z', episode: media(2), action: 'download', podcast: feed(1) },
        {
          guid: 'g1',
          timestamp: '2024-01-02T03:04:05Z',
          started: 0,
          position: 60,
          total: 600,
          device: 'phone',
          episode: media(1),
          action: 'play',
          podcast: feed(1),
        },
        {
          timestamp: '2024-01-02T03:04:07Z',
          started: -1,
          position: -1,
          total: -1,
          episode: media(3),
          action: 'play',
          podcast: feed(3),
        },
      ],
    },
  },
  '/api/2/favorites/bob.json': { body: [] },
  '/api/2/settings/bob/account.json': NOT_IMPLEMENTED,
  '/api/2/lists/bob.json': NOT_IMPLEMENTED,
  // It sends no response.
  '/api/2/sync-devices/bob.json': {},
};

const openOpodsync = async () => {
  const other = await open({ devices: [], subscriptions: {}, actions: [] });
  other.intercept = (path, { headers }): Intercepted => {
    const isBob = headers.authorization === `Basic ${btoa('bob:secret')}`;
    const { status = 200, body } = isBob
      ? (ANSWERS[path] ?? { status: 404, body: '<h1>404 Not Found</h1>' })
      : { status: 401, body: { code: 401, message: 'Invalid username/password' } };
    const text = body === undefined ? '' : JSON.stringify(body, null, 4).replaceAll('/', String.raw`\/`);
    return { status, headers: { 'content-type': 'application/json' }, body: text };
  };
  return other;
};

it('imports devices, the list without the feeds that were removed, and all actions', async () => {
  const other = await openOpodsync();
  const to = await openTestServer();
  const { host } = new URL(other.url);
  expect(await pull(to, other.url)).toEqual({
    devices: 2,
    subscriptions: 4,
    actions: 3,
    settings: 0,
    lists: 0,
    groups: 0,
    rewritten: [],
    refused: [],
    notes: [],
    gaps: [
      {
        gap: `settings of the account (no other settings were requested): ${host} answered 503 (Not Implemented)`,
        count: 1,
      },
      { gap: `device groups: ${host} returned an empty response`, count: 1 },
      { gap: `podcast lists: ${host} answered 503 (Not Implemented)`, count: 1 },
    ],
  });
  const paths = ['/api/2/devices/bob.json', '/subscriptions/bob.json', '/api/2/episodes/bob.json'];
  expect(await readAll(to, paths)).toEqual({
    [paths[0]!]: [
      { id: 'phone', caption: 'Phone', type: 'mobile', subscriptions: 2 },
      { id: 'my.laptop', caption: '', type: 'other', subscriptions: 2 },
    ],
    [paths[1]!]: [feed(1), feed(3)],
    [paths[2]!]: {
      actions: [
        { podcast: feed(1), episode: media(2), action: 'download', timestamp: '2024-01-02T03:04:06' },
        {
          podcast: feed(1),
          episode: media(1),
          action: 'play',
          timestamp: '2024-01-02T03:04:05',
          device: 'phone',
          guid: 'g1',
          started: 0,
          position: 60,
          total: 600,
        },
        { podcast: feed(3), episode: media(3), action: 'play', timestamp: '2024-01-02T03:04:07' },
      ],
    },
  });
  expect(new Set(other.requests).size, 'requests, none of them repeated').toBe(other.requests.length);
});

it('imports a long history, which it sorts by action, and says once that it may be incomplete', async () => {
  const other = await openOpodsync();
  const action = (n: number) => ({
    timestamp: `2024-01-02T03:${String(n % 60).padStart(2, '0')}:00Z`,
    episode: media(n),
    action: n < 600 ? 'download' : 'play',
    podcast: feed(n % 5),
  });
  const actions = Array.from({ length: 1200 }, (_, n) => action(n));
  const instead = other.intercept;
  const body = JSON.stringify({ timestamp: 1795646301, actions });
  // It ignores the parameter `podcast`.
  other.intercept = (path, request) => (path.includes('/episodes/') ? { status: 200, body } : instead(path, request));
  const report = await pull(await openTestServer(), other.url);
  expect(report.actions).toBe(1200);
  expect(report.gaps.map(({ gap }) => gap)).toContain(
    'episode actions: the server returned 1200 at once, which may not be all',
  );
  expect(other.requests.filter((path) => path.includes('/episodes/')).length).toBeLessThan(8);
});

it('reports a wrong password', async () => {
  const other = await openOpodsync();
  other.intercept = () => ({ status: 401, body: '{"code": 401, "message": "Invalid username\\/password"}' });
  await expect(pull(await openTestServer(), other.url)).rejects.toThrow(/does not accept this user name and password/);
});
