import { expect, it } from 'vitest';
import { APPS, basic, connect, FEED, media, openDevice, openServer, OTHER } from './connection.ts';
import type { SocketServer } from './connection.ts';

/* Kasts 26.11.70, with Nextcloud as its provider. It has no login flow: the user enters a password. */

const HEADERS = {
  'user-agent': 'Kasts/26.11.70 Syndication',
  'accept-encoding': 'gzip, deflate',
  'accept-language': 'en,*',
  connection: 'Keep-Alive',
};
const JSON_TYPE = { 'content-type': 'application/json' };

/** The app, after the request that tests a password. `host` is the address as entered, which it never shortens. */
async function openKasts(server: SocketServer, { host = server.origin, password = 'secret', clockError = 0 } = {}) {
  const send = connect(server.origin, { ...HEADERS, authorization: basic('bob', password) });
  const get = async (path: string, since: number): Promise<any> => {
    const { status, json } = await send('GET', `${host}${APPS}${path}?since=${since}`);
    expect(status).toBe(200);
    expect(toInt(json.timestamp)).toBe(json.timestamp);
    return json;
  };
  const post = async (path: string, body: unknown): Promise<number> => {
    const { status, json } = await send('POST', `${host}${APPS}${path}`, {
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    expect(status).toBe(200);
    return toInt(json.timestamp);
  };
  await get('/subscriptions', 0);
  const since = { subscriptions: 0, actions: 0 };
  /** It stores each mark plus one as soon as it is received, also that of an upload, and ignores an invalid one. */
  const keep = (kind: keyof typeof since, timestamp: number): void => {
    if (timestamp > 1) since[kind] = timestamp + 1;
  };
  return {
    async sync(add: string[] = [], remove: string[] = [], plays: object[] = []) {
      const subscriptions = await get('/subscriptions', since.subscriptions);
      keep('subscriptions', subscriptions.timestamp);
      if (add.length + remove.length > 0) {
        keep('subscriptions', await post('/subscription_change/create', { add, remove }));
      }
      const actions: any[] = [];
      let pages = 0;
      // It asks again at once while episodes come with a mark that is not close to its own clock.
      for (let isMore = true; isMore; pages += 1) {
        expect(pages, 'requests for actions').toBeLessThan(5);
        const answer = await get('/episode_action', since.actions);
        keep('actions', answer.timestamp);
        actions.push(...answer.actions.map(toAction));
        isMore = answer.timestamp <= server.clock.now + clockError - 10 && answer.actions.length > 0;
      }
      for (let first = 0; first < plays.length; first += 30) {
        keep('actions', await post('/episode_action/create', plays.slice(first, first + 30)));
      }
      return { add: subscriptions.add, remove: subscriptions.remove, actions };
    },
    /** The upload of changes right after they happen. */
    upload: (add: string[], plays: object[]) =>
      Promise.all([post('/subscription_change/create', { add, remove: [] }), post('/episode_action/create', plays)]),
  };
}

/** Anything but a number of 32 bits reads as 0. */
const toInt = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : 0;

/** How it reads an action; a time with a zone is invalid. */
function toAction({ guid, episode, action, timestamp, started, position, total }: any) {
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  const isPlay = action.toLowerCase() === 'play';
  const times = isPlay ? { started: toInt(started), position: toInt(position), total: toInt(total) } : {};
  return { id: typeof guid === 'string' ? guid : '', episode, action: action.toLowerCase(), ...times };
}

const play = (episode: string, position: number) => ({
  podcast: FEED,
  episode: media(episode),
  guid: `guid-${episode}`,
  device: '',
  action: 'play',
  timestamp: '2023-11-14T22:00:00',
  started: 0,
  position,
  total: 600,
});

it('tests the password, uploads all its podcasts, and plays in batches of 30', async () => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED]);
  await desktop.play('1', 60, { started: 0, total: 600, guid: 'guid-1' });
  const app = await openKasts(server);
  const plays = Array.from({ length: 40 }, (_, n) => play(`old-${n}`, 600));
  expect(await app.sync([OTHER], [], plays)).toEqual({
    add: [FEED],
    remove: [],
    actions: [{ id: 'guid-1', episode: media('1'), action: 'play', started: 0, position: 60, total: 600 }],
  });
  expect(await desktop.list()).toEqual([FEED, OTHER]);
  expect(await desktop.actions()).toHaveLength(41);
  await app.upload(['https://feeds.example/c'], [play('2', 5)]);
  expect(await desktop.list()).toContain('https://feeds.example/c');
});

it.each([
  ['fast', 86_400],
  ['right', 0],
  ['slow', -86_400],
])('receives every change, and stops asking for more, with a %s clock', async (_which, clockError) => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED]);
  const app = await openKasts(server, { clockError });
  await app.sync([], [], [play('1', 60)]);
  await desktop.change([OTHER], [FEED]);
  await desktop.play('2', 5);
  const { add, remove, actions } = await app.sync();
  expect([add, remove]).toEqual([[OTHER], [FEED]]);
  expect(actions).toContainEqual(expect.objectContaining({ episode: media('2'), position: 5 }));
  server.clock.now += 600;
  await app.sync();
  expect(await app.sync()).toEqual({ add: [], remove: [], actions: [] });
});

it('works with a slash at the end of the address, below a base path, and with an umlaut in the password', async () => {
  const base = 'https://pods.example.org/sub';
  const server = await openServer({ baseUrl: base });
  await server.services.administration.setPassword('bob', 'pässword');
  const app = await openKasts(server, { host: `${base}/`, password: 'pässword' });
  expect(await app.sync([FEED])).toEqual({ add: [], remove: [], actions: [] });
});
