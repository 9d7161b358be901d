import { expect, it } from 'vitest';
import { APPS, connect, FEED, grantAccess, media, openDevice, openServer, OTHER } from './connection.ts';
import type { SocketServer } from './connection.ts';

/* The gPodder provider of Music Assistant (2026-07), with a Nextcloud server. It only reads subscriptions. */

const HEADERS = { accept: '*/*', 'accept-encoding': 'gzip, deflate', 'user-agent': 'Music Assistant' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** The provider after its setup. `entered` is the address; it removes the slash at its end. */
async function openProvider(server: SocketServer, entered = server.origin) {
  const send = connect(server.origin, HEADERS);
  const base = entered.replace(/\/+$/, '');
  const begun = await send('POST', `${base}/index.php/login/v2`);
  expect(begun.type).toBe('application/json');
  const { login, poll } = begun.json;
  const fetchPassword = () => send('POST', poll.endpoint, { headers: FORM, body: `token=${poll.token}` });
  expect((await fetchPassword()).status).toBe(404); // it gives up after any other status
  expect(await grantAccess(server, login, 'Music Assistant')).toBe('Music Assistant');
  const { appPassword } = (await fetchPassword()).json;

  const headers = { authorization: `Bearer ${appPassword}` };
  const get = async (path: string, since: number): Promise<any> => {
    const { status, type, json } = await send('GET', `${base}${APPS}${path}?since=${since}`, { headers });
    expect([status, type]).toEqual([200, 'application/json']);
    expect(Number.isInteger(json.timestamp)).toBe(true);
    return json;
  };
  let actionsSince = 0;
  const actionsOf = async (since: number): Promise<any[]> => {
    const { actions, timestamp } = await get('/episode_action', since);
    actionsSince = timestamp;
    return actions
      .filter(({ action }: { action: string }) => ['PLAY', 'NEW', 'DELETE'].includes(action.toUpperCase()))
      .toSorted((a: any, b: any) => Date.parse(`${b.timestamp}Z`) - Date.parse(`${a.timestamp}Z`));
  };
  return {
    /** It reads everything again each time. */
    async readLibrary() {
      const { add, remove } = await get('/subscriptions', 0);
      return { feeds: add.filter((url: string) => !remove.includes(url)), actions: await actionsOf(0) };
    },
    /** Before an episode is played: what changed since it last read actions. */
    readNewActions: () => actionsOf(actionsSince),
    async upload(action: object) {
      const sent = { headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify([action]) };
      expect((await send('POST', `${base}${APPS}/episode_action/create`, sent)).status).toBe(200);
    },
  };
}

const listened = (episode: string, position: number) => ({
  podcast: FEED,
  episode: media(episode),
  timestamp: '2023-11-14T22:00:00',
  guid: `guid-${episode}`,
  action: 'play',
  started: 0,
  position,
  total: 600,
});

it('connects through the browser, reads the library with only the app password, and uploads progress', async () => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.change([FEED, OTHER]);
  await desktop.change([], [OTHER]);
  await desktop.play('1', 60, { started: 0, total: 600, timestamp: '2023-11-14T21:00:00Z' });
  const provider = await openProvider(server);
  const library = await provider.readLibrary();
  expect(library).toMatchObject({ feeds: [FEED], actions: [{ episode: media('1'), position: 60, total: 600 }] });
  await provider.upload(listened('2', 90));
  const { guid: _guid, started: _started, position: _position, total: _total, ...unplayed } = listened('3', 0);
  await provider.upload({ ...unplayed, action: 'new' });
  expect((await desktop.actions()).slice(1)).toMatchObject([
    { episode: media('2'), action: 'play', position: 90, guid: 'guid-2' },
    { episode: media('3'), action: 'new' },
  ]);
});

it('receives a position of another device before it plays the episode', async () => {
  const server = await openServer();
  const desktop = openDevice(server);
  await desktop.play('1', 60);
  const provider = await openProvider(server);
  await provider.readLibrary();
  expect(await provider.readNewActions()).toEqual([]);
  await desktop.play('1', 300);
  expect(await provider.readNewActions()).toMatchObject([{ position: 300 }]);
  expect((await provider.readLibrary()).actions).toHaveLength(2);
});

it('connects and syncs below a base path', async () => {
  const base = 'https://pods.example.org/sub';
  const server = await openServer({ baseUrl: base });
  await openDevice(server).change([FEED]);
  const provider = await openProvider(server, `${base}/`);
  expect(await provider.readLibrary()).toEqual({ feeds: [FEED], actions: [] });
});
