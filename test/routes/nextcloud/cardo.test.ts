import { expect, it } from 'vitest';
import { APPS, basic, connect, FEED, grantAccess, media, openDevice, openServer, OTHER } from './connection.ts';
import type { SocketServer } from './connection.ts';

/* Cardo 1.12.0, with a Nextcloud server. */

/** Its HTTP client sends the origin of the window of the app, and the type of text in browsers. */
const ORIGINS = ['tauri://localhost', 'http://tauri.localhost'];
const TEXT = { 'content-type': 'text/plain;charset=UTF-8' };

const BASE = 'https://pods.example.org/sub';

/** The app after the login. `entered` is the address that the user has typed. */
async function openCardo(server: SocketServer, { entered = server.origin, clockError = 0, origin = ORIGINS[0]! } = {}) {
  const headers = { 'user-agent': 'tauri-plugin-http/2.5.7', accept: '*/*', origin };
  const send = connect(server.origin, headers);
  const begun = await send('POST', `${entered}/index.php/login/v2`);
  expect(begun.status).toBe(200);
  const { login, poll } = begun.json;
  const fetchPassword = () =>
    send('POST', poll.endpoint, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: poll.token }),
    });
  expect((await fetchPassword()).status).toBe(404);
  await grantAccess(server, login, 'Cardo');
  const granted = await fetchPassword();
  expect(granted.status).toBe(200);
  const { loginName, appPassword } = granted.json;

  const own = { authorization: basic(loginName, appPassword, 'latin1'), 'ocs-apirequest': 'true' };
  const get = async (path: string, since: number): Promise<any> =>
    (await send('GET', `${entered}${APPS}${path}?since=${since}`, { headers: own })).json;
  const post = async (path: string, body: unknown): Promise<void> => {
    const sent = { headers: { ...own, ...TEXT }, body: JSON.stringify(body) };
    expect((await send('POST', `${entered}${APPS}${path}`, sent)).status).toBe(200);
  };
  let lastSync = 0;
  /** One sync: it uploads what was played since the last one, even if that is nothing. */
  return async (changes?: { add?: string[]; remove?: string[] }, played: object[] = []) => {
    const { add, remove } = await get('/subscriptions', lastSync);
    const received = { add: [...add], remove: [...remove] };
    if (changes) await post('/subscription_change/create', { add: [], remove: [], ...changes });
    const { actions } = await get('/episode_action', lastSync);
    await post('/episode_action/create', played);
    lastSync = server.clock.now + clockError;
    const plays = actions.filter(({ action }: { action: string }) => action.toUpperCase() === 'PLAY');
    return {
      ...received,
      plays: plays.map(({ episode, position, total, timestamp }: any) => ({
        episode,
        position,
        total,
        at: new Date(`${timestamp}+00:00`).getTime(),
      })),
    };
  };
}

const played = (episode: string, position: number) => ({
  id: 7,
  podcast: FEED,
  episode: media(episode),
  position,
  total: 600,
  timestamp: '2023-11-14T22:00:00',
  started: position,
  action: 'play',
});

it.each(ORIGINS)('connects through the browser and syncs, although it names %s as its origin', async (origin) => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED]);
  await desktop.play('1', 60, { started: 0, total: 600, timestamp: '2023-11-14T21:00:00Z' });
  const sync = await openCardo(server, { origin });
  expect(await sync({ add: [OTHER] }, [played('2', 90)])).toEqual({
    add: [FEED],
    remove: [],
    plays: [{ episode: media('1'), position: 60, total: 600, at: Date.UTC(2023, 10, 14, 21) }],
  });
  expect(await desktop.list()).toEqual([FEED, OTHER]);
  const own = { action: 'play', episode: media('2'), started: 90, position: 90, timestamp: '2023-11-14T22:00:00' };
  expect((await desktop.actions())[1]).toMatchObject(own);
});

it('syncs below a base path, and with the slash that its users type', async () => {
  const server = await openServer({ baseUrl: BASE });
  const sync = await openCardo(server, { entered: `${BASE}/` });
  await openDevice(server).change([FEED]);
  expect((await sync({ add: [OTHER] })).add).toEqual([FEED]);
});

it.each([
  ['fast', 3600],
  ['slow', -3600],
])('receives every change although it sends the time of its last sync, by a %s clock', async (_which, clockError) => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED]);
  const sync = await openCardo(server, { clockError });
  await sync();
  await desktop.change([OTHER], [FEED]);
  server.clock.now += 60;
  expect(await sync()).toMatchObject({ add: [OTHER], remove: [FEED], plays: [] });
  await desktop.play('1', 60);
  server.clock.now += 60;
  expect((await sync()).plays).toMatchObject([{ episode: media('1'), position: 60 }]);
  server.clock.now += 7200;
  await sync();
  expect(await sync()).toEqual({ add: [], remove: [], plays: [] });
});
