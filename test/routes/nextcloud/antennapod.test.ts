import { expect, it } from 'vitest';
import {
  APPS,
  basic,
  connect,
  FEED,
  grantAccess,
  media,
  openDevice,
  openServer,
  OTHER,
  type SocketServer,
} from './connection.ts';

/* AntennaPod 3.12.0-beta4, with Nextcloud as its provider. */

const HEADERS = { 'user-agent': 'AntennaPod/3.12.0-beta4', 'accept-encoding': 'gzip', connection: 'Keep-Alive' };
const BASE = 'https://pods.example.org/sub';
const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** Its JSON library escapes slashes. */
const write = (value: unknown): string => JSON.stringify(value).replaceAll('/', String.raw`\/`);

/** The app on a phone, after the login. `host` is the entered address; its clock is wrong by `clockError` seconds. */
async function openPhone(server: SocketServer, { host = server.origin, clockError = 0 } = {}) {
  const send = connect(server.origin, HEADERS);
  const begun = await send('POST', `${host}/index.php/login/v2`, { headers: FORM });
  expect(begun.status).toBe(200);
  const { login, poll } = begun.json;
  const fetchPassword = () => send('POST', poll.endpoint, { headers: FORM, body: `token=${poll.token}` });
  expect((await fetchPassword()).status).toBe(404);
  expect(await grantAccess(server, login, 'Phone')).toBe('AntennaPod/3.12.0-beta4');
  const granted = await fetchPassword();
  expect([granted.status, granted.json]).toEqual([
    200,
    { server: host, loginName: 'bob', appPassword: expect.any(String) },
  ]);
  const { loginName, appPassword } = granted.json;

  const headers = { authorization: basic(loginName, appPassword, 'latin1'), accept: 'application/json' };
  const clock = (): number => server.clock.now + clockError;
  /** Anything but 200 with the JSON that it reads fails the whole sync. */
  const get = async (path: string, since: number): Promise<any> => {
    const { status, json } = await send('GET', `${host}${APPS}${path}?since=${since}`, { headers });
    expect(status).toBe(200);
    expect(Number.isSafeInteger(json.timestamp)).toBe(true);
    return json;
  };
  const post = async (path: string, body: unknown): Promise<void> => {
    const sent = { headers: { ...headers, ...JSON_TYPE }, body: write(body) };
    expect((await send('POST', `${host}${APPS}${path}`, sent)).status).toBe(200);
  };
  const since = { subscriptions: 0, actions: 0 };
  return {
    since,
    async syncSubscriptions(add: string[] = [], remove: string[] = []): Promise<{ add: string[]; remove: string[] }> {
      const answer = await get('/subscriptions', since.subscriptions);
      for (const url of [...answer.add, ...answer.remove]) expect(typeof url).toBe('string');
      since.subscriptions = answer.timestamp;
      if (add.length + remove.length > 0) {
        await post('/subscription_change/create', { add, remove });
        since.subscriptions = clock(); // whatever the server answered
      }
      return { add: answer.add, remove: answer.remove };
    },
    async syncActions(queue: object[] = []): Promise<any[]> {
      const { actions, timestamp } = await get('/episode_action', since.actions);
      since.actions = timestamp;
      for (let first = 0; first < queue.length; first += 30) {
        await post('/episode_action/create', queue.slice(first, first + 30));
      }
      if (queue.length > 0) since.actions = clock();
      return actions;
    },
  };
}

const play = (episode: string, position: number, total = 600) => ({
  podcast: FEED,
  episode: media(episode),
  guid: `guid-${episode}`,
  action: 'play',
  timestamp: '2023-11-14T22:00:00',
  started: position === -1 ? -1 : 0,
  position,
  total,
});

it('connects through the browser, uploads its podcasts, and then its played episodes in batches of 30', async () => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED]);
  await desktop.play('1', 60, { started: 0, total: 600, guid: 'guid-1', timestamp: '2023-11-14T21:00:00Z' });
  const phone = await openPhone(server);
  expect(await phone.syncSubscriptions([OTHER])).toEqual({ add: [FEED], remove: [] });
  expect(await desktop.list()).toEqual([FEED, OTHER]);

  // It stops after new podcasts, and syncs episodes once it has read their feeds.
  server.clock.now += 60;
  await phone.syncSubscriptions();
  const queue = [play('2', -1, -1), ...Array.from({ length: 40 }, (_, n) => play(`old-${n}`, 600))];
  expect(await phone.syncActions(queue)).toEqual([
    { ...play('1', 60), action: 'PLAY', timestamp: '2023-11-14T21:00:00' },
  ]);
  const uploaded = (await desktop.actions()).filter(({ device }) => device !== 'desktop');
  expect(uploaded).toHaveLength(41);
  expect(uploaded[0]).toEqual({
    podcast: FEED,
    episode: media('2'),
    guid: 'guid-2',
    action: 'play',
    timestamp: '2023-11-14T22:00:00',
    device: expect.stringMatching(/^app-/),
  });
});

it.each([
  ['fast', 3600],
  ['right', 0],
  ['slow', -3600],
])('receives every change although it sends its own clock, which is %s', async (_which, clockError) => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED]);
  const phone = await openPhone(server, { clockError });
  await phone.syncSubscriptions(['https://feeds.example/c']);
  await phone.syncActions([play('1', 60)]);
  await desktop.change([OTHER], [FEED]);
  await desktop.play('2', 5);
  server.clock.now += 600;
  expect(await phone.syncSubscriptions()).toMatchObject({
    add: expect.arrayContaining([OTHER]),
    remove: [FEED],
  });
  expect(await phone.syncActions()).toContainEqual(expect.objectContaining({ episode: media('2'), position: 5 }));
  expect(await phone.syncSubscriptions()).toEqual({ add: [], remove: [] });
});

it('connects and syncs below a base path', async () => {
  const server = await openServer({ baseUrl: BASE });
  const phone = await openPhone(server, { host: BASE });
  await openDevice(server).change([FEED]);
  expect(await phone.syncSubscriptions([OTHER])).toEqual({ add: [FEED], remove: [] });
  expect(await phone.syncActions([play('1', 60)])).toEqual([]);
});
