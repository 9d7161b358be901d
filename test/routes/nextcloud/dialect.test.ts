import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageError } from '../../../src/storage/errors.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { createAppPassword, openApp, openOwn, openWith, play } from './app.ts';
import { APPS, basic, FEED, media, openDevice, OTHER } from './connection.ts';

/* The dialect of the Nextcloud app gpoddersync, as used by its clients. */

let server: TestServer;

beforeEach(async () => {
  server = await openTestServer();
});

const read = async (path: string): Promise<any> => (await server.request('GET', path, { auth: 'bob:secret' })).json();

it('an empty account has two arrays and no actions', async () => {
  const app = openOwn(server);
  const mark = server.clock.now + 1;
  expect(await app.pull(0)).toEqual({ add: [], remove: [], timestamp: expect.any(Number) });
  expect(await app.pullActions(0)).toEqual({ actions: [], timestamp: mark });
});

it('works without /index.php, and ignores a device id', async () => {
  const app = openApp(server, { authorization: basic('bob', 'secret') }, '/apps/gpoddersync');
  await app.push([FEED]);
  const path = `${APPS}/subscriptions?deviceid=phone&since=0`;
  expect((await read(path)).add).toEqual([FEED]);
});

it('reads {} as an empty list', async () => {
  const app = openOwn(server);
  await server.request('POST', `${APPS}/subscription_change/create`, {
    auth: 'bob:secret',
    body: { add: [FEED], remove: {} },
  });
  expect((await app.pull(0)).add).toEqual([FEED]);
});

it('writes actions in capitals, -1 for unknown times, and timestamps without a zone', async () => {
  const app = openOwn(server);
  await app.pushActions([
    play('1', { timestamp: '2023-11-14T21:00:00+01:00' }),
    play('2', { action: 'play', guid: undefined, started: -1, position: -1, total: -1 }),
    play('3', { action: 'Download', started: undefined, position: undefined, total: undefined }),
  ]);
  const unknown = { started: -1, position: -1, total: -1 };
  expect((await app.pullActions(0)).actions).toEqual([
    play('1'),
    play('2', { guid: null, ...unknown }),
    play('3', { action: 'DOWNLOAD', ...unknown }),
  ]);
});

it.each([
  ['started', { started: undefined }, { position: 60 }],
  ['total', { total: null }, { position: 60 }],
  ['position', { position: null }, {}],
])('keeps a play without "%s": a missing time is unknown, as in Nextcloud', async (_name, sent, known) => {
  const app = openOwn(server);
  await app.pushActions([play('1', sent)]);
  const { actions } = await app.pullActions(0);
  expect(actions).toEqual([play('1', { started: -1, position: -1, total: -1, ...known })]);
});

describe('one list', () => {
  it('is the union of all devices, and a change on it is one on all of them', async () => {
    const [phone, desktop] = [openDevice(server, 'phone'), openDevice(server)];
    await phone.change([FEED]);
    await desktop.change([OTHER]);
    const app = await openWith(server, 'AntennaPod');
    expect((await app.pull(0)).add).toEqual([FEED, OTHER]);
    await app.push(['https://feeds.example/c'], [OTHER]);
    expect(await phone.list()).toEqual([FEED, 'https://feeds.example/c']);
    expect(await desktop.list()).toEqual(['https://feeds.example/c']);
  });

  it('keeps a phone and a desktop of the two dialects in sync', async () => {
    const phone = await openWith(server, 'AntennaPod');
    const desktop = openDevice(server);
    await desktop.change([]);
    await phone.push([FEED]);
    expect(await desktop.list()).toEqual([FEED]);
    const { timestamp } = await phone.pull(0);
    await desktop.change([OTHER], [FEED]);
    expect(await phone.pull(timestamp)).toMatchObject({ add: [OTHER], remove: [FEED] });
    await desktop.play('9', 5);
    expect((await phone.pullActions(0)).actions).toMatchObject([{ action: 'PLAY', position: 5 }]);
    await phone.pushActions([play('1')]);
    expect(await desktop.actions()).toContainEqual(expect.objectContaining({ episode: media('1'), action: 'play' }));
  });

  it('shows each app as a device of type other, named by its label', async () => {
    await (await openWith(server, 'My <phone>')).pull(0);
    await openOwn(server).pull(0);
    const devices = await read('/api/2/devices/bob.json');
    expect(devices).toEqual([
      { id: expect.stringMatching(/^app-[0-9a-f]{12}$/), caption: 'My <phone>', type: 'other', subscriptions: 0 },
      { id: 'nextcloud', caption: 'Nextcloud apps', type: 'other', subscriptions: 0 },
    ]);
  });
});

describe('a client may', () => {
  it('log in with a password in Latin-1 or UTF-8, and with an app password as Bearer', async () => {
    await server.services.administration.setPassword('bob', 'pässword');
    await openApp(server, { authorization: basic('bob', 'pässword', 'latin1') }).pull(0);
    await openApp(server, { authorization: basic('bob', 'pässword') }).pull(0);
    await openApp(server, { authorization: `Bearer ${await createAppPassword(server, 'Music Assistant')}` }).pull(0);
  });

  it.each([
    ['no credentials', {}],
    ['a wrong password', { authorization: basic('bob', 'guess') }],
    ['a made-up token', { authorization: 'Bearer aaaaa-bbbbb-ccccc-ddddd-eeeee-fffff' }],
  ])('not log in with %s', async (_with, headers) => {
    for (const path of ['/subscriptions', '/episode_action']) {
      const answer = await server.request('GET', APPS + path, { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('Basic');
    }
  });
});

describe('clocks of clients', () => {
  /** A client that stores its own clock as `since` after each upload, as AntennaPod and Cardo do. */
  it.each([
    ['fast', 5000],
    ['slow', -5000],
  ])('a %s one loses nothing that others change', async (_which, error) => {
    const app = await openWith(server, 'AntennaPod');
    await app.pull(0);
    await app.pullActions(0);
    await openDevice(server).change([FEED]); // between its pull and its push
    await app.push([OTHER]);
    await openOwn(server).pushActions([play('1')]);
    const since = server.clock.now + error;
    expect((await app.pull(since)).add).toContain(FEED);
    expect((await app.pullActions(since)).actions).toHaveLength(1);
    await openDevice(server).change([], [FEED]);
    server.clock.now += 60;
    expect((await app.pull(since + 30)).remove).toEqual([FEED]);
  });

  it('one whose mark is not known, as after a restored backup, receives removals, too', async () => {
    const app = await openWith(server, 'AntennaPod');
    await app.push([OTHER]);
    await openDevice(server).change([FEED]);
    await openDevice(server).change([], [FEED]);
    expect((await app.pull(server.clock.now + 5000)).remove).toEqual([FEED]);
  });

  it('has separate marks for subscriptions and actions', async () => {
    const app = await openWith(server, 'AntennaPod');
    await app.pull(0);
    await app.pullActions(0);
    await openDevice(server).change([FEED]);
    await openOwn(server).pushActions([play('1')]);
    const fast = server.clock.now + 5000;
    await app.pullActions(fast);
    expect((await app.pull(fast)).add).toEqual([FEED]);
  });

  it('receives again what it may have missed if it sends the same time again', async () => {
    const app = await openWith(server, 'AntennaPod');
    await app.pull(0);
    await openDevice(server).change([FEED]);
    const fast = server.clock.now + 5000;
    expect((await app.pull(fast)).add).toEqual([FEED]);
    expect((await app.pull(fast)).add).toEqual([FEED]);
    expect((await app.pull(fast + 1)).add).toEqual([]);
  });

  it('on a full disk one can read, and receives the same again as long as its mark cannot be stored', async () => {
    const app = await openWith(server, 'AntennaPod');
    await app.pull(0);
    await openDevice(server).change([FEED]);
    const save = vi
      .spyOn(server.storage.servedMarks, 'save')
      .mockRejectedValue(new StorageError('full', 'no space left'));
    const fast = server.clock.now + 5000;
    expect((await app.pull(fast)).add).toEqual([FEED]);
    expect((await app.pull(fast + 1)).add).toEqual([FEED]);
    save.mockRestore();
    expect((await app.pull(fast + 2)).add).toEqual([FEED]);
    expect((await app.pull(fast + 3)).add).toEqual([]);
  });

  /** Podcast Merlin 2 sends one before each sync and ignores the response. */
  it('a connection check with a time in the far future takes nothing from the sync after it', async () => {
    const app = await openWith(server, 'Podcast Merlin');
    const sync = async (since: number) => {
      await app.pull(2 ** 31 - 1);
      return app.pull(since);
    };
    const { timestamp } = await sync(0);
    await openDevice(server).change([FEED]);
    const changed = await sync(timestamp);
    expect(changed.add).toEqual([FEED]);
    await openDevice(server).change([], [FEED]);
    expect(await sync(changed.timestamp)).toMatchObject({ add: [], remove: [FEED] });
  });

  it('a new one receives everything, and others are not affected', async () => {
    await openDevice(server).change([FEED]);
    const [one, two] = [await openWith(server, 'One'), await openWith(server, 'Two')];
    await one.pull(0);
    expect((await one.pull(server.clock.now + 9999)).add).toEqual([]);
    expect((await two.pull(server.clock.now + 9999)).add).toEqual([FEED]);
    expect((await one.pull(0)).add).toEqual([FEED]);
  });
});
