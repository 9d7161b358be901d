import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageError } from '../../../src/storage/errors.ts';
import { openTestServer, type TestServer } from '../../server.ts';
import { signIn } from '../../site/browser.ts';
import { textOf } from '../../site/listener.ts';
import { createAppPassword, openApp, openWith, play } from './app.ts';
import { APPS, basic, FEED, OTHER } from './connection.ts';

/* What is refused, of the uploads of an app, and where its user sees that. */

let server: TestServer;
let bob: Awaited<ReturnType<TestServer['services']['administration']['find']>>['id'];

beforeEach(async () => {
  server = await openTestServer();
  bob = (await server.services.administration.find('bob')).id;
});

describe('diagnostics', () => {
  it('show for each device the last app and dialect, and what was refused', async () => {
    const headers = {
      'user-agent': 'AntennaPod/3.5',
      authorization: basic('bob', await createAppPassword(server, 'My phone')),
    };
    const app = openApp(server, headers);
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
    const app = openApp(server, { authorization: basic('bob', 'secret'), 'user-agent': 'Phone/1' });
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

it('a refused request says why even if that cannot be recorded', async () => {
  vi.spyOn(server.storage.refusals, 'add').mockRejectedValue(new StorageError('full', 'the disk is full'));
  const answer = await server.request('POST', `${APPS}/episode_action/create`, { auth: 'bob:secret', body: {} });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('JSON array')]);
});

describe('an invalid item of a batch', () => {
  it('never prevents the rest, and is shown to the owner', async () => {
    const app = await openWith(server, 'Phone');
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
      'a feed was left out: a feed address must begin with http:// or https://',
      'the same feed is in "add" and in "remove"',
      '"add": entry [1] is not a string',
      'action 5: its addresses must be ASCII and begin with http:// or https://',
      'action 3: "action" must be one of download, play, delete, new',
      'action 2: it is not an object',
      expect.stringMatching(/^action 1: the timestamp must be /),
    ]);
  });

  it('changes nothing if it is a feed that is to be both added and removed', async () => {
    const app = await openWith(server, 'Phone');
    await app.push([FEED], []);
    await app.push([FEED, OTHER], [FEED]);
    expect((await app.pull(0)).add).toEqual([FEED, OTHER]);
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
