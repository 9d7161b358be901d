import { beforeEach, describe, expect, it } from 'vitest';
import { openTestServer, type TestServer } from '../../server.ts';
import { signIn } from '../../site/browser.ts';
import { textOf } from '../../site/listener.ts';

/* The dialect of the Nextcloud app gpoddersync, as used by its clients. */

const APPS = '/index.php/apps/gpoddersync';
const FEED = 'https://feeds.example/a';
const OTHER = 'https://feeds.example/b';

let server: TestServer;
let bob: Awaited<ReturnType<TestServer['services']['administration']['find']>>['id'];

beforeEach(async () => {
  server = await openTestServer();
  bob = (await server.services.administration.find('bob')).id;
});

const createAppPassword = (label: string): Promise<string> => server.services.appPasswords.create(bob, label);

/** An app that sends these headers; each answer must be 200. */
const openApp = (headers: Record<string, string>, apps = APPS) => {
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await server.request(method, apps + path, { headers, body });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/json');
    return answer.json();
  };
  return {
    pull: (since: number) => call('GET', `/subscriptions?since=${since}`),
    push: (add: unknown[], remove: unknown[] = []) => call('POST', '/subscription_change/create', { add, remove }),
    pullActions: (since: number) => call('GET', `/episode_action?since=${since}`),
    pushActions: (actions: unknown[]) => call('POST', '/episode_action/create', actions),
  };
};
const basic = (password: string, charset: BufferEncoding = 'utf8') => ({
  authorization: `Basic ${Buffer.from(`bob:${password}`, charset).toString('base64')}`,
});
const openOwn = () => openApp(basic('secret'));
const openWith = async (label: string) => openApp(basic(await createAppPassword(label)));

const play = (episode: string, fields: object = {}) => ({
  podcast: FEED,
  episode: `https://media.example/${episode}.mp3`,
  guid: episode,
  action: 'PLAY',
  timestamp: '2023-11-14T20:00:00',
  started: 0,
  position: 60,
  total: 600,
  ...fields,
});

/** A device of the gpodder.net dialect. */
const onDevice = async (device: string, add: string[], remove: string[] = []): Promise<void> => {
  const path = `/api/2/subscriptions/bob/${device}.json`;
  await server.request('POST', path, { auth: 'bob:secret', body: { add, remove } });
};
const read = async (path: string): Promise<any> => (await server.request('GET', path, { auth: 'bob:secret' })).json();
const listOf = (device: string): Promise<string[]> => read(`/subscriptions/bob/${device}.json`);

it('an empty account has two arrays and no actions', async () => {
  const app = openOwn();
  const mark = server.clock.now + 1;
  expect(await app.pull(0)).toEqual({ add: [], remove: [], timestamp: expect.any(Number) });
  expect(await app.pullActions(0)).toEqual({ actions: [], timestamp: mark });
});

it('works without /index.php, and ignores a device id', async () => {
  const app = openApp(basic('secret'), '/apps/gpoddersync');
  await app.push([FEED]);
  const path = `${APPS}/subscriptions?deviceid=phone&since=0`;
  expect((await read(path)).add).toEqual([FEED]);
});

it('reads {} as an empty list', async () => {
  const app = openOwn();
  await server.request('POST', `${APPS}/subscription_change/create`, {
    auth: 'bob:secret',
    body: { add: [FEED], remove: {} },
  });
  expect((await app.pull(0)).add).toEqual([FEED]);
});

it('writes actions in capitals, -1 for unknown times, and timestamps without a zone', async () => {
  const app = openOwn();
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

describe('one list', () => {
  it('is the union of all devices, and a change on it is one on all of them', async () => {
    await onDevice('phone', [FEED]);
    await onDevice('desktop', [OTHER]);
    const app = await openWith('AntennaPod');
    expect((await app.pull(0)).add).toEqual([FEED, OTHER]);
    await app.push(['https://feeds.example/c'], [OTHER]);
    expect(await listOf('phone')).toEqual([FEED, 'https://feeds.example/c']);
    expect(await listOf('desktop')).toEqual(['https://feeds.example/c']);
  });

  it('keeps a phone and a desktop of the two dialects in sync', async () => {
    const phone = await openWith('AntennaPod');
    await onDevice('desktop', []);
    await phone.push([FEED]);
    expect(await listOf('desktop')).toEqual([FEED]);
    const { timestamp } = await phone.pull(0);
    await onDevice('desktop', [OTHER], [FEED]);
    expect(await phone.pull(timestamp)).toMatchObject({ add: [OTHER], remove: [FEED] });
    const episodes = '/api/2/episodes/bob.json';
    const body = [
      { podcast: OTHER, episode: 'https://media.example/9.mp3', action: 'play', position: 5, device: 'desktop' },
    ];
    await server.request('POST', episodes, { auth: 'bob:secret', body });
    expect((await phone.pullActions(0)).actions).toMatchObject([{ action: 'PLAY', position: 5 }]);
    await phone.pushActions([play('1')]);
    const { actions } = await read(`${episodes}?since=0`);
    expect(actions).toContainEqual(expect.objectContaining({ episode: 'https://media.example/1.mp3', action: 'play' }));
  });

  it('shows each app as a device of type other, named by its label', async () => {
    await (await openWith('My <phone>')).pull(0);
    await openOwn().pull(0);
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
    await openApp(basic('pässword', 'latin1')).pull(0);
    await openApp(basic('pässword')).pull(0);
    await openApp({ authorization: `Bearer ${await createAppPassword('Music Assistant')}` }).pull(0);
  });

  it.each([
    ['no credentials', {}],
    ['a wrong password', basic('guess')],
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
    const app = await openWith('AntennaPod');
    await app.pull(0);
    await app.pullActions(0);
    await onDevice('desktop', [FEED]); // between its pull and its push
    await app.push([OTHER]);
    await openOwn().pushActions([play('1')]);
    const since = server.clock.now + error;
    expect((await app.pull(since)).add).toContain(FEED);
    expect((await app.pullActions(since)).actions).toHaveLength(1);
    await onDevice('desktop', [], [FEED]);
    server.clock.now += 60;
    expect((await app.pull(since + 30)).remove).toEqual([FEED]);
  });

  it('has separate marks for subscriptions and actions', async () => {
    const app = await openWith('AntennaPod');
    await app.pull(0);
    await app.pullActions(0);
    await onDevice('desktop', [FEED]);
    await openOwn().pushActions([play('1')]);
    const fast = server.clock.now + 5000;
    await app.pullActions(fast);
    expect((await app.pull(fast)).add).toEqual([FEED]);
  });

  it('receives again what it may have missed if it sends the same time again', async () => {
    const app = await openWith('AntennaPod');
    await app.pull(0);
    await onDevice('desktop', [FEED]);
    const fast = server.clock.now + 5000;
    expect((await app.pull(fast)).add).toEqual([FEED]);
    expect((await app.pull(fast)).add).toEqual([FEED]);
    expect((await app.pull(fast + 1)).add).toEqual([]);
  });

  it('a new one receives everything, and others are not affected', async () => {
    await onDevice('desktop', [FEED]);
    const [one, two] = [await openWith('One'), await openWith('Two')];
    await one.pull(0);
    expect((await one.pull(server.clock.now + 9999)).add).toEqual([]);
    expect((await two.pull(server.clock.now + 9999)).add).toEqual([FEED]);
    expect((await one.pull(0)).add).toEqual([FEED]);
  });
});

describe('diagnostics', () => {
  it('show for each device the last app and dialect, and what was refused', async () => {
    const headers = { 'user-agent': 'AntennaPod/3.5', ...basic(await createAppPassword('My phone')) };
    const app = openApp(headers);
    await app.pushActions([play('1', { timestamp: 'https://secret.example' })]);
    await server.request('POST', '/api/2/subscriptions/bob/desktop.json', {
      auth: 'bob:secret',
      headers: { 'user-agent': 'gPodder/3.11' },
      body: { add: [FEED], remove: [FEED] },
    });
    server.clock.now += 10;
    for (let n = 0; n < 3; n += 1) {
      expect((await server.request('POST', `${APPS}/episode_action/create`, { headers, body: {} })).status).toBe(400);
    }
    const { devices, refusals } = await server.services.administration.show('bob');
    expect(devices).toMatchObject([{ caption: 'My phone', app: 'AntennaPod/3.5', dialect: 'nextcloud' }]);
    expect(refusals.map(({ device, app: name, dialect, reason }) => [device, name, dialect, reason])).toEqual([
      [devices[0]!.id, 'AntennaPod/3.5', 'nextcloud', 'the request body must be a JSON array of episode actions'],
      ['desktop', 'gPodder/3.11', 'gpodder.net', 'the same feed is in "add" and in "remove"'],
      [devices[0]!.id, 'AntennaPod/3.5', 'nextcloud', expect.stringMatching(/^action 0: the timestamp must be/)],
    ]);
    const { html } = await (await signIn(server)).get('/devices');
    expect(textOf(html)).toContain('AntennaPod/3.5 · Nextcloud');
    expect(html).toMatch(/Last refused .*: the request body must be a JSON array/);
    expect(html).toContain('The same feed is in &quot;add&quot; and in &quot;remove&quot;.');
    expect(html).not.toContain('secret.example');
  });

  it('keep the newest 20, the same one at most once an hour, and the app only if allowed', async () => {
    const settings = { set: { store_user_agent: false }, remove: [] };
    await server.request('POST', '/api/2/settings/bob/account.json', { auth: 'bob:secret', body: settings });
    const app = openApp({ ...basic('secret'), 'user-agent': 'Phone/1' });
    for (let n = 0; n < 25; n += 1) await app.pushActions([...Array.from({ length: n }, () => play('1')), 7]);
    await app.pushActions([...Array.from({ length: 24 }, () => play('1')), 7]);
    const all = await server.services.refusals.all(bob);
    expect(all).toHaveLength(20);
    expect(all.map(({ reason }) => reason)[0]).toBe('action 24: it is not an object');
    expect(all.map(({ reason }) => reason)[1]).toBe('action 23: it is not an object');
    expect(new Set(all.map(({ app: name }) => name))).toEqual(new Set(['']));
    server.clock.now += 3600;
    await app.pushActions([...Array.from({ length: 24 }, () => play('1')), 7]);
    expect((await server.services.refusals.all(bob))[1]!.reason).toBe('action 24: it is not an object');
  });
});

describe('an invalid item of a batch', () => {
  it('never prevents the rest, and is shown to the owner', async () => {
    const app = await openWith('Phone');
    await app.pushActions([
      play('1'),
      play('2', { timestamp: 'yesterday' }),
      7,
      play('3', { action: 'dance' }),
      play('4'),
      play('5', { podcast: 'ftp://secret.example' }),
    ]);
    await app.push([FEED, 5, 'ftp://secret.example', OTHER], [OTHER]);
    const { actions } = await app.pullActions(0);
    expect(actions.map(({ guid }: { guid: string }) => guid)).toEqual(['1', '4']);
    expect((await app.pull(0)).add).toEqual([FEED]);
    const reasons = (await server.services.refusals.all(bob)).map(({ reason }) => reason);
    expect(reasons).toEqual([
      'a feed is left out: a feed address begins with http:// or https://',
      'the same feed is in "add" and in "remove"',
      '"add": item 1 is not a string',
      'action 5: its addresses must be ASCII and begin with http:// or https://',
      'action 3: "action" must be one of download, play, delete, new',
      'action 2: it is not an object',
      expect.stringMatching(/^action 1: the timestamp must be /),
    ]);
  });

  it('is a 400 if there are more of them than any app sends', async () => {
    const body = Array.from({ length: 10_001 }, () => ({}));
    const answer = await server.request('POST', `${APPS}/episode_action/create`, { auth: 'bob:secret', body });
    const { code, message } = (await answer.json()) as { code: number; message: string };
    expect([code, message]).toEqual([
      400,
      'action 10000: its addresses must be ASCII and begin with http:// or https://',
    ]);
    expect(await server.services.refusals.all(bob)).toHaveLength(5);
  });

  it.each([
    ['/subscription_change/create', []],
    ['/subscription_change/create', { add: 'x' }],
    ['/episode_action/create', {}],
    ['/episode_action/create', 'nonsense'],
  ])('is a 400 without a valid batch: %s %j', async (path, body) => {
    expect((await server.request('POST', APPS + path, { auth: 'bob:secret', body })).status).toBe(400);
  });
});
