import { describe, expect, it, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { cookieOf, openTestServer, type TestServer } from '../server.ts';
import { openVisitor, signIn } from '../site/browser.ts';
import { textOf } from '../site/listener.ts';

const DEVICES = '/api/2/devices/bob.json';

async function openWithAppPassword() {
  const server = await openTestServer();
  const { id } = await server.services.administration.find('bob');
  const secret = await server.services.appPasswords.create(id, 'My phone');
  const revoke = async (): Promise<void> => {
    const [own] = await server.services.appPasswords.all(id);
    await server.services.appPasswords.revoke(id, own!.id);
  };
  return { server, id, secret, revoke, auth: `bob:${secret}` };
}

const statusOf = async ({ request }: TestServer, options: Parameters<TestServer['request']>[2]): Promise<number> =>
  (await request('GET', DEVICES, options)).status;

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

it('is accepted by Basic with the user name, by Bearer, and by its cookie', async () => {
  const { server, secret, auth } = await openWithAppPassword();
  expect(secret).toMatch(/^[a-z0-9]{5}(-[a-z0-9]{5}){5}$/);
  const login = await server.request('POST', '/api/2/auth/bob/login.json', { auth });
  expect(login.status).toBe(200);
  expect(await statusOf(server, { auth })).toBe(200);
  expect(await statusOf(server, { auth: `BOB:${secret}` })).toBe(200);
  expect(await statusOf(server, bearer(secret))).toBe(200);
  expect(await statusOf(server, { headers: { authorization: `bearer ${secret}` } })).toBe(200);
  const cookie = cookieOf(login)!;
  expect(await statusOf(server, { cookie })).toBe(200);
  expect((await server.request('GET', DEVICES, { auth, cookie })).headers.get('set-cookie')).toBeNull();
  const again = await server.request('POST', '/api/2/auth/bob/login.json', { cookie });
  expect([again.status, cookieOf(again)]).toEqual([200, cookieOf(login)]);
});

it('replaces the cookie of a session when an app logs in with it', async () => {
  const { server, secret, auth } = await openWithAppPassword();
  const login = '/api/2/auth/bob/login.json';
  const session = cookieOf(await server.request('POST', login, { auth: 'bob:secret' }))!;
  expect(cookieOf(await server.request('POST', login, { auth, cookie: session }))).toBe(secret);
});

it('is refused with the name of another user, once it is revoked, and when the account is deleted', async () => {
  const { server, secret, auth, revoke } = await openWithAppPassword();
  const cookie = cookieOf(await server.request('GET', DEVICES, { auth }))!;
  expect((await server.request('GET', '/api/2/devices/eve.json', { auth: `eve:${secret}` })).status).toBe(401);
  await revoke();
  for (const each of [{ auth }, bearer(secret), { cookie }]) expect(await statusOf(server, each)).toBe(401);
  const removed = await openWithAppPassword();
  await removed.server.services.administration.remove('bob');
  expect(await statusOf(removed.server, { auth: removed.auth })).toBe(401);
});

it.each([
  ['Basic', (token: string) => ({ auth: `bob:${token}` })],
  ['Bearer', bearer],
])('an invented one is checked and throttled like a wrong password (%s)', async (_scheme, toOptions) => {
  let compared = 0;
  const hasher = {
    hash: async (password: string) => password,
    compare: async (password: string, stored: string) => ((compared += 1), password === stored),
    close: async () => undefined,
  };
  const server = await openTestServer({ hasher });
  const token = 'aaaaa-bbbbb-ccccc-ddddd-eeeee-fffff';
  const statuses = [];
  for (let n = 0; n < 11; n += 1) statuses.push(await statusOf(server, toOptions(token)));
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  expect(compared).toBe(10);
});

it('accepts a valid app password while others guess, without a slow comparison', async () => {
  const { server, auth } = await openWithAppPassword();
  for (let n = 0; n < 12; n += 1) await statusOf(server, { auth: 'bob:guess' });
  expect(await statusOf(server, { auth })).toBe(200);
});

it('ignores an unrelated token beside a valid cookie', async () => {
  const { server, auth } = await openWithAppPassword();
  const cookie = cookieOf(await server.request('GET', DEVICES, { auth }))!;
  expect(await statusOf(server, { ...bearer('other'), cookie })).toBe(200);
});

describe('on the site', () => {
  it('opens no page and cannot sign in, nor change the password or delete the account', async () => {
    const { server, secret, auth } = await openWithAppPassword();
    const cookie = cookieOf(await server.request('GET', DEVICES, { auth }))!;
    for (const path of ['/settings', '/devices', '/settings/backup', '/history.csv']) {
      for (const each of [{ auth }, { cookie }, bearer(secret)]) {
        expect((await server.request('GET', path, each)).status, path).toBe(303);
      }
    }
    await expect(signIn(server, 'bob', secret)).rejects.toThrow('could not sign in');
    const visitor = await signIn(server);
    const wrong = await visitor.send('/settings', { name: 'bob', confirm: secret }, 'http://localhost/settings/delete');
    expect(wrong.html).toContain('This is not your password.');
    const fields = { current: secret, password: 'new password', again: 'new password' };
    expect((await visitor.send('/settings', fields, 'http://localhost/settings/password')).status).toBe(400);
  });

  it('is created, shown once, listed with its last use, and revoked', async () => {
    const server = await openTestServer();
    const visitor = await signIn(server);
    const action = 'http://localhost/settings/app-passwords';
    const created = await visitor.send('/settings', { label: 'My <phone>' }, action);
    const secret = /role="status">[^]*<code>([a-z0-9-]{35})<\/code>/.exec(created.html)![1]!;
    expect(created.html).not.toContain('value="My &lt;phone&gt;"');
    expect(created.headers.get('cache-control')).toBe('no-store');
    expect(created.html).toContain('My &lt;phone&gt;');
    expect(created.html).toContain('Never');
    const options = { auth: `bob:${secret}`, headers: { 'user-agent': 'AntennaPod/3.5' } };
    expect(await statusOf(server, options)).toBe(200);
    const { html } = await visitor.get('/settings');
    expect(html).not.toContain(secret);
    expect(html).toMatch(/AntennaPod\/3\.5[^]*14 Nov 2023/);
    const id = /app-passwords\/revoke[^]*?name="id" value="([^"]+)"/.exec(html)![1]!;
    const done = await visitor.send('/settings', { id }, `${action}/revoke`);
    expect(done.location).toBe('http://localhost/settings?saved=app-passwords');
    expect(await statusOf(server, options)).toBe(401);
    expect((await visitor.get('/settings')).html).not.toContain('AntennaPod/3.5');
  });

  it('is created once, however often its form is sent, as a reload of the page does', async () => {
    const server = await openTestServer();
    const visitor = await signIn(server);
    const { html } = await visitor.get('/settings');
    const form = /<form[^>]*app-passwords">[^]*?<\/form>/.exec(html)![0];
    const hidden = Array.from(form.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g), ([, ...pair]) => pair);
    const send = (label: string) => visitor.submit('/settings/app-passwords', { ...Object.fromEntries(hidden), label });
    expect((await send('Phone')).status).toBe(200);
    const again = await send('Phone');
    expect(again.status).toBe(400);
    expect(again.html).toContain(
      'Your app passwords have changed since this form was opened, and nothing was created.',
    );
    expect(again.html).toContain('value="Phone"');
    const action = 'http://localhost/settings/app-passwords';
    expect((await visitor.send('/settings', { label: 'Tablet' }, action)).status).toBe(200);
    const { appPasswords } = await server.services.administration.show('bob');
    expect(appPasswords.map(({ label }) => label).toSorted()).toEqual(['Phone', 'Tablet']);
  });

  it('is listed with its app, its first day, and the address that used it', async () => {
    const server = await openTestServer({ trustProxy: true });
    const { id } = await server.services.administration.find('bob');
    const secret = await server.services.appPasswords.create(id, 'Desk');
    server.clock.now += 86_400;
    const headers = { 'user-agent': 'gPodder/3.11 (http://gpodder.org/) Linux', 'x-forwarded-for': '203.0.113.7' };
    expect(await statusOf(server, { auth: `bob:${secret}`, headers })).toBe(200);
    const text = textOf((await (await signIn(server)).get('/settings')).html);
    expect(text).toMatch(
      /Desk gPodder\/3\.11 Linux · created 14 Nov 2023 15 Nov 2023, \S+ UTC from 203\.0\.113\.7 Revoke/,
    );
  });

  it('shows what only the account may see, in a response that no cache stores', async () => {
    const { server, auth, secret } = await openWithAppPassword();
    const feed = 'https://feeds.example/show?token=Xk29aQT0k3nOf0n3';
    const [action, url] = [{ podcast: feed, episode: `${feed}#1`, action: 'play' }, encodeURIComponent(feed)];
    await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [feed] });
    await server.request('POST', '/api/2/episodes/bob.json', { auth, body: [action] });
    await server.request('POST', '/api/2/lists/bob/create.json?title=Mine', { auth, body: [feed] });
    for (const path of [`/podcast?url=${url}`, `/episode?podcast=${url}&url=${url}%231`, '/user/bob/lists/mine']) {
      const own = await server.request('GET', path, { cookie: secret });
      expect([own.status, own.headers.get('cache-control')], path).toEqual([200, 'no-store']);
      expect(await own.text(), path).toContain('Xk29aQT0k3nOf0n3');
      expect(await (await server.request('GET', path)).text(), path).not.toContain('Xk29aQT0k3nOf0n3');
    }
  });

  it('asks again for a missing name', async () => {
    const visitor = await signIn(await openTestServer());
    const again = await visitor.send('/settings', { label: ' ' }, 'http://localhost/settings/app-passwords');
    expect(again.status).toBe(400);
    expect(again.html).toContain('The name of the app is empty.');
    expect((await openVisitor(await openTestServer()).get('/settings')).status).toBe(303);
  });
});

it('records its last use once an hour, and the app only if allowed', async () => {
  const { server, id, auth } = await openWithAppPassword();
  const body = { set: { store_user_agent: false }, remove: [] };
  await server.request('POST', '/api/2/settings/bob/account.json', { auth: 'bob:secret', body });
  const use = async (app: string) => {
    await statusOf(server, { auth, headers: { 'user-agent': app } });
    const [own] = await server.services.appPasswords.all(id);
    return [own!.usedAt, own!.app];
  };
  const start = server.clock.now;
  expect(await use('One')).toEqual([start, '']);
  server.clock.now += 3599;
  expect(await use('Two')).toEqual([start, '']);
  server.clock.now += 1;
  expect(await use('Two')).toEqual([start + 3600, '']);
  server.clock.now = start; // the clock was wrong
  expect(await use('Two')).toEqual([start, '']);
});

it('is accepted while its use cannot be stored', async () => {
  const { server, auth } = await openWithAppPassword();
  vi.spyOn(server.storage.appPasswords, 'recordUse').mockRejectedValue(new StorageError('full', 'the disk is full'));
  expect(await statusOf(server, { auth })).toBe(200);
});

it('has a name of up to 255 characters', async () => {
  const { server, id } = await openWithAppPassword();
  await server.services.appPasswords.create(id, 'x'.repeat(255));
  await expect(server.services.appPasswords.create(id, 'x'.repeat(256))).rejects.toThrow('up to 255 characters');
});

it('counts as the last sync of the account', async () => {
  const { server, auth } = await openWithAppPassword();
  const lastSync = async () => (await server.services.administration.show('bob')).lastSyncAt;
  expect(await lastSync()).toBeUndefined();
  await statusOf(server, { auth });
  expect(await lastSync()).toBe(server.clock.now);
});

it('limits an account to 100', async () => {
  const { server, id } = await openWithAppPassword();
  for (let n = 1; n < 100; n += 1) await server.services.appPasswords.create(id, `App ${n}`);
  await expect(server.services.appPasswords.create(id, 'One more')).rejects.toMatchObject({ code: 'conflict' });
});

it('survives a change of the password, and is part of a backup with passwords', async () => {
  const { server, auth } = await openWithAppPassword();
  await server.services.administration.setPassword('bob', 'another');
  expect(await statusOf(server, { auth })).toBe(200);
  const read = async (passwords: boolean): Promise<string> => {
    let text = '';
    for await (const part of (await server.services.transfer.export({ users: ['bob'], passwords })).text) text += part;
    return text;
  };
  expect(await read(false)).not.toContain('appPassword');
  const backup = await read(true);
  const target = await openTestServer({ users: [] });
  const bytes = async function* () {
    yield Buffer.from(backup);
  };
  await target.services.transfer.import(bytes(), { dryRun: false });
  expect(await statusOf(target, { auth })).toBe(200);
  await server.services.transfer.import(bytes(), { as: 'copy', dryRun: false });
  const copy = await server.services.administration.show('copy');
  expect(copy.appPasswords).toEqual([]);
});

it('an app that does not name itself gets one with the label App', async () => {
  const { request, services } = await openTestServer();
  const headers = { 'ocs-apirequest': 'true' };
  expect((await request('GET', '/ocs/v2.php/core/getapppassword', { auth: 'bob:secret', headers })).status).toBe(200);
  const { id } = await services.administration.find('bob');
  expect(await services.appPasswords.all(id)).toMatchObject([{ label: 'App' }]);
});
