import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { feed, media, open, pull, readAll } from './fixtures.ts';
import type { Intercepted } from './other-server.ts';

/*
 * goPodder 1.2.1. All devices of an account share one list. Of each episode only the last action is stored, and it returns
 * them in one response, in no particular order.
 */

const DEVICES = [
  { id: 'phone', caption: 'Phone', type: 'mobile', subscriptions: 2 },
  { id: 'laptop', caption: '', type: '', subscriptions: 2 },
];
const FEEDS = [feed(1), feed(2)];

const play = (n: number, fields: object = {}) => ({
  podcast: feed((n % 2) + 1),
  episode: media(n),
  device: 'phone',
  timestamp: `2024-01-02T03:${String(59 - (n % 60)).padStart(2, '0')}:00`,
  guid: `g${n}`,
  action: 'play',
  started: 0,
  position: n,
  total: 6000,
  ...fields,
});

/** `actions` are those of the account, uploaded at once. */
async function openGopodder(actions: readonly { podcast: string }[]) {
  const other = await open({ devices: [], subscriptions: {}, actions: [] });
  const answers: Record<string, unknown> = {
    '/api/2/devices/bob.json': DEVICES,
    '/subscriptions/bob.json': FEEDS,
    '/subscriptions/bob/phone.json': FEEDS,
    '/subscriptions/bob/laptop.json': FEEDS,
    '/api/2/subscriptions/bob/phone.json': { add: FEEDS, remove: [feed(3)], timestamp: 1795646301 },
    '/api/2/subscriptions/bob/laptop.json': { add: FEEDS, remove: [feed(3)], timestamp: 1795646301 },
  };
  other.intercept = (path, { headers }): Intercepted => {
    if (headers.authorization !== `Basic ${btoa('bob:secret')}`) {
      return { status: 401, headers: { 'www-authenticate': 'Basic realm="gopodder"' }, body: 'unauthorized\n' };
    }
    const { pathname, searchParams } = new URL(path, other.url);
    const isHistory = pathname === '/api/2/episodes/bob.json';
    const podcast = searchParams.get('podcast') || undefined;
    const found = actions.filter((each) => podcast === undefined || each.podcast === podcast);
    const answer = isHistory
      ? { actions: Number(searchParams.get('since')) > 1795646200 ? [] : found, timestamp: 1795646300 }
      : answers[pathname];
    return answer === undefined
      ? { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '404 page not found\n' }
      : { status: 200, headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(answer)}\n` };
  };
  return other;
}

it('imports devices, subscriptions and the last action of each episode', async () => {
  const undated = { podcast: feed(1), episode: media(2), action: 'DOWNLOAD', started: -1, position: -1, total: -1 };
  const other = await openGopodder([play(1), undated]);
  const to = await openTestServer();
  const { host } = new URL(other.url);
  expect(await pull(to, other.url)).toEqual({
    devices: 2,
    subscriptions: 4,
    actions: 2,
    settings: 0,
    lists: 0,
    groups: 0,
    rewritten: [],
    refused: [],
    notes: [{ note: 'an episode action has no time: it counts as the oldest', count: 1 }],
    gaps: [
      { gap: `favourite episodes: ${host} answered 404 (Not Found)`, count: 1 },
      { gap: `settings of the account (no other settings were requested): ${host} answered 404 (Not Found)`, count: 1 },
      { gap: `device groups: ${host} answered 404 (Not Found)`, count: 1 },
      { gap: `podcast lists: ${host} answered 404 (Not Found)`, count: 1 },
    ],
  });
  const paths = ['/api/2/devices/bob.json', '/subscriptions/bob.json', '/api/2/episodes/bob.json'];
  expect(await readAll(to, paths)).toEqual({
    [paths[0]!]: [
      { id: 'phone', caption: 'Phone', type: 'mobile', subscriptions: 2 },
      { id: 'laptop', caption: '', type: 'other', subscriptions: 2 },
    ],
    [paths[1]!]: FEEDS,
    [paths[2]!]: {
      actions: [play(1), { podcast: feed(1), episode: media(2), action: 'download', timestamp: '1970-01-01T00:00:00' }],
    },
  });
});

it('imports a long history in no particular order', async () => {
  const other = await openGopodder(Array.from({ length: 1200 }, (_, n) => play(n + 1)));
  const { actions, gaps } = await pull(await openTestServer(), other.url);
  expect(actions).toBe(1200);
  expect(gaps.map(({ gap }) => gap)).not.toContainEqual(expect.stringContaining('episode actions'));
});

it('reports a wrong password', async () => {
  const other = await openGopodder([]);
  const instead = other.intercept;
  other.intercept = (path, request) => {
    delete request.headers.authorization;
    return instead(path, request);
  };
  await expect(pull(await openTestServer(), other.url)).rejects.toThrow(/does not accept this user name and password/);
});
