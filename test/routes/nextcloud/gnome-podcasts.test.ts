import { expect, it } from 'vitest';
import { APPS, basic, connect, FEED, grantAccess, media, openDevice, openServer, OTHER } from './connection.ts';
import type { Send, SocketServer } from './connection.ts';

/* GNOME Podcasts 25.4. It does not support gpodder.net, and ignores the path of the entered address. */

const HEADERS = { 'user-agent': 'Gnome Podcasts - Nextcloud Sync', accept: '*/*' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const OCS = { 'ocs-apirequest': 'true' };
const PASSWORD = '/ocs/v2.php/core/apppassword';

/** It creates a new client for each request, which keeps no cookie. */
const open = ({ origin }: SocketServer): Send => connect(origin, HEADERS, { keepsCookies: false });

async function logInByBrowser(server: SocketServer): Promise<[name: string, password: string]> {
  const send = open(server);
  const { login, poll } = (await send('POST', '/index.php/login/v2')).json;
  const fetchPassword = () => send('POST', poll.endpoint, { headers: FORM, body: `token=${poll.token}` });
  // It asks again at once, without a pause.
  for (let n = 0; n < 100; n += 1) expect((await fetchPassword()).status).toBe(404);
  expect(await grantAccess(server, login, 'GNOME Podcasts')).toBe('Gnome Podcasts - Nextcloud Sync');
  const { json } = await fetchPassword();
  expect(json).toEqual({ server: server.origin, loginName: 'bob', appPassword: expect.any(String) });
  return [json.loginName, json.appPassword];
}

/** The login with the user name and password of its form. */
async function exchange(server: SocketServer, name: string, password: string): Promise<string> {
  const headers = { authorization: basic(name, password), ...OCS };
  const { status, text } = await open(server)('GET', '/ocs/v2.php/core/getapppassword', { headers });
  return status === 403 ? password : /<apppassword>([^<]+)<\/apppassword>/.exec(text)![1]!;
}

/** The app. It stores its own time at the start of a sync as the next `since`. */
function openApp(server: SocketServer, name: string, password: string) {
  const send = open(server);
  const headers = { authorization: basic(name, password) };
  let since: number | undefined;
  const get = async (path: string): Promise<any> => {
    const query = since === undefined ? '' : `?since=${since}`;
    const { json } = await send('GET', APPS + path + query, { headers });
    expect(Number.isSafeInteger(json.timestamp)).toBe(true);
    return json;
  };
  const post = async (path: string, body: unknown): Promise<void> => {
    const sent = { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    expect((await send('POST', APPS + path, sent)).status).toBe(200);
  };
  return {
    async sync({
      add = [],
      remove = [],
      actions = [],
    }: { add?: string[]; remove?: string[]; actions?: object[] } = {}) {
      const start = server.clock.now;
      const subscriptions = await get('/subscriptions');
      for (const url of [...subscriptions.add, ...subscriptions.remove]) expect(typeof url).toBe('string');
      const episodes = await get('/episode_action');
      for (const action of episodes.actions) expect(action).toEqual(READABLE);
      server.clock.now += 3;
      if (add.length + remove.length > 0) await post('/subscription_change/create', { add, remove });
      if (actions.length > 0) await post('/episode_action/create', actions);
      since = start;
      return { add: subscriptions.add, remove: subscriptions.remove, actions: episodes.actions };
    },
    logOut: async () => (await send('DELETE', PASSWORD, { headers: { ...headers, ...OCS } })).status,
  };
}

/** One action that it cannot read fails the whole sync: 32-bit numbers, a time without a fraction, a known action. */
const READABLE = {
  podcast: expect.any(String),
  episode: expect.any(String),
  guid: expect.toSatisfy((guid: unknown) => guid === null || typeof guid === 'string'),
  action: expect.stringMatching(/^(DOWNLOAD|DELETE|PLAY|NEW)$/),
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
  ...Object.fromEntries(
    ['started', 'position', 'total'].map((key) => [
      key,
      expect.toSatisfy((seconds: number) => Number.isInteger(seconds) && seconds >= -1 && seconds < 2 ** 31),
    ]),
  ),
};

const action = (episode: string, fields: object) => ({
  podcast: FEED,
  episode: media(episode),
  guid: null,
  timestamp: '2023-11-14T22:00:00',
  started: -1,
  position: -1,
  total: -1,
  ...fields,
});
const play = (episode: string, position: number) =>
  action(episode, { action: 'PLAY', started: 0, position, total: 600 });

it('connects through the browser, and uploads everything that it has at once', async () => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED]);
  await desktop.play('1', 60, { started: 0, total: 600, timestamp: '2023-11-14T21:00:00.5Z' });
  await desktop.play('2', 2 ** 31 - 1);
  const app = openApp(server, ...(await logInByBrowser(server)));
  const actions = [
    action('3', { action: 'DOWNLOAD' }),
    action('4', { action: 'DELETE', guid: 'guid-4' }),
    action('5', { action: 'DOWNLOAD', episode: '', guid: 'an episode without a file' }),
    ...Array.from({ length: 500 }, (_, n) => play(`old-${n}`, 600)),
  ];
  const received = await app.sync({ add: [OTHER], actions });
  expect(received).toMatchObject({
    add: [FEED],
    remove: [],
    actions: [{ episode: media('1') }, { position: 2 ** 31 - 1 }],
  });
  expect(await desktop.list()).toEqual([FEED, OTHER]);
  expect(await desktop.actions()).toHaveLength(2 + 502);
  server.clock.now += 60;
  await app.sync();
});

it('receives what others change during its sync, as it stores the time of the start', async () => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED]);
  const app = openApp(server, ...(await logInByBrowser(server)));
  await app.sync({ actions: [play('1', 60)] });
  await desktop.change([OTHER], [FEED]);
  await desktop.play('2', 5);
  server.clock.now += 60;
  const { add, remove, actions } = await app.sync();
  expect([add, remove]).toEqual([[OTHER], [FEED]]);
  expect(actions).toContainEqual(expect.objectContaining({ episode: media('2'), position: 5 }));
  server.clock.now += 60;
  await app.sync();
  server.clock.now += 60;
  expect(await app.sync()).toEqual({ add: [], remove: [], actions: [] });
});

it('replaces the address of a podcast that has moved, and sends its actions again', async () => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED]);
  const app = openApp(server, ...(await logInByBrowser(server)));
  await app.sync({ actions: [play('1', 60)] });
  await app.sync({ add: [OTHER], remove: [FEED], actions: [{ ...play('1', 60), podcast: OTHER }] });
  expect(await desktop.list()).toEqual([OTHER]);
  expect((await desktop.actions()).map(({ podcast }) => podcast)).toEqual([FEED, OTHER]);
});

it('exchanges a password for an app password, and revokes it when the user logs out', async () => {
  const server = await openServer();
  const password = await exchange(server, 'bob', 'secret');
  expect(password).toMatch(/^[a-z0-9]{5}(-[a-z0-9]{5}){5}$/);
  expect(await exchange(server, 'bob', password)).toBe(password);
  const { id } = await server.services.administration.find('bob');
  expect(await server.services.appPasswords.all(id)).toMatchObject([{ label: 'Gnome Podcasts - Nextcloud Sync' }]);
  const app = openApp(server, 'bob', password);
  await app.sync({ add: [FEED] });
  expect(await app.logOut()).toBe(200);
  expect(await app.logOut()).toBe(401);
  expect(await server.services.appPasswords.all(id)).toEqual([]);
});

it('nothing but an app password can be revoked, and nothing without the header of an app', async () => {
  const server = await openServer();
  const send = open(server);
  const headers = { authorization: basic('bob', 'secret') };
  expect((await send('DELETE', PASSWORD, { headers: { ...headers, ...OCS } })).status).toBe(403);
  expect((await send('GET', '/ocs/v2.php/core/getapppassword', { headers })).status).toBe(403);
  expect((await send('GET', '/ocs/v2.php/core/getapppassword', { headers: OCS })).status).toBe(401);
  const { id } = await server.services.administration.find('bob');
  expect(await server.services.appPasswords.all(id)).toEqual([]);
  const own = { authorization: basic('bob', await exchange(server, 'bob', 'secret')) };
  expect((await send('DELETE', PASSWORD, { headers: own })).status).toBe(403);
  expect(await server.services.appPasswords.all(id)).toHaveLength(1);
});
