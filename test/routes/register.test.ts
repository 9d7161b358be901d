import { expect, it, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { cookieOf, openTestServer, type TestServer, type TestServerOptions } from '../server.ts';
import { openVisitor } from '../site/browser.ts';

const FIELDS = { name: 'ann', email: '', password: 'pass phrase', again: 'pass phrase' };

/** Opens the form as a browser does, and returns a function that sends it. */
async function openForm({ app, request }: TestServer, query = '') {
  const shown = await request('GET', `/register${query}`);
  const html = await shown.text();
  const hidden = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
  const cookie = /^csrf=[^;]+/.exec(shown.headers.get('set-cookie') ?? '')?.[0] ?? '';
  return {
    shown,
    html,
    cookie,
    csrf: hidden('csrf'),
    async send(fields: Record<string, string> = {}, headers: Record<string, string> = { cookie }): Promise<Response> {
      const body = new URLSearchParams({ ...FIELDS, csrf: hidden('csrf'), token: hidden('token'), ...fields });
      return app.request('http://localhost/register', { method: 'POST', body, headers });
    },
  };
}

const login = async ({ request }: TestServer, name: string, password: string): Promise<number> =>
  (await request('POST', `/api/2/auth/${name}/login.json`, { auth: `${name}:${password}` })).status;

function toForm(fields: number): FormData {
  const form = new FormData();
  for (let field = 0; field < fields; field++) form.append('name', 'ann');
  return form;
}

const OPEN: TestServerOptions = { registration: 'open' };

it('creates an account if registration is open', async () => {
  const server = await openTestServer(OPEN);
  const { shown, send } = await openForm(server);
  expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(shown.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect(shown.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
  const done = await send();
  expect([done.status, done.headers.get('location')]).toEqual([303, 'http://localhost/']);
  expect(await (await server.request('GET', '/', { cookie: cookieOf(done)! })).text()).toContain(
    '<code>http://localhost</code>',
  );
  expect(await login(server, 'ann', 'pass phrase')).toBe(200);
});

it.each(['//evil.example', 'https://evil.example/'])('redirects only to this site: not to %s', async (next) => {
  const server = await openTestServer(OPEN);
  const { cookie, csrf } = await openForm(server);
  const body = new URLSearchParams({ ...FIELDS, csrf });
  const path = `/register?next=${encodeURIComponent(next)}`;
  const done = await server.app.request(`http://localhost${path}`, { method: 'POST', body, headers: { cookie } });
  expect([done.status, done.headers.get('location')]).toEqual([303, 'http://localhost/']);
});

/** Whether each checkbox of the form is checked. */
const boxes = (html: string): (boolean | undefined)[] =>
  ['sync_devices', 'public'].map((name) =>
    new RegExp(`<input [^>]*name="${name}"[^>]*>`).exec(html)?.[0].includes(' checked'),
  );

it('asks two questions, and suggests a private list on all devices', async () => {
  const { html } = await openForm(await openTestServer(OPEN));
  expect(html).toContain('Keep one subscription list on all devices');
  expect(html).toContain('Show my subscriptions publicly');
  expect(boxes(html)).toEqual([true, false]);
});

it('says that a server whose directory is for members shows subscriptions only to them', async () => {
  const { html } = await openForm(await openTestServer({ ...OPEN, directory: 'members' }));
  expect(html).toContain('in the directory of this server; only for those who are signed in.');
});

it('says that a server without a directory shows no subscriptions', async () => {
  const { html } = await openForm(await openTestServer({ ...OPEN, directory: 'off' }));
  expect(html).toContain('At present this server shows neither profiles nor a directory.');
  expect(html).not.toContain('On a page with your user name');
});

it.each([
  { ticked: { sync_devices: 'yes' }, settings: { sync_devices: true, public_subscriptions: false } },
  { ticked: { public: 'yes' }, settings: {} },
  { ticked: {}, settings: { public_subscriptions: false } },
])('gives the account the selected settings: $ticked', async ({ ticked, settings }) => {
  const server = await openTestServer({ ...OPEN, syncDevices: true });
  const { send } = await openForm(server);
  const slip = await (await send({ ...ticked, again: 'other' })).text();
  expect(boxes(slip)).toEqual(['sync_devices', 'public'].map((name) => name in ticked));
  expect((await send(ticked)).status).toBe(303);
  const answer = await server.request('GET', '/api/2/settings/ann/account.json', { auth: 'ann:pass phrase' });
  expect(await answer.json()).toEqual(settings);
});

it.each<[Record<string, string>, string]>([
  [{ again: 'other' }, 'The two passwords differ.'],
  [{ password: '', again: '' }, 'The password is empty.'],
  [{ password: 'seven c', again: 'seven c' }, 'The password has fewer than 8 characters'],
  [{ password: '🎧🎧🎧🎧', again: '🎧🎧🎧🎧' }, 'The password has fewer than 8 characters'],
  [{ password: 'x'.repeat(73), again: 'x'.repeat(73) }, 'The password is longer than 72 bytes'],
  [{ password: 'ü'.repeat(37), again: 'ü'.repeat(37) }, 'The password is longer than 72 bytes'],
  [{ name: 'a b' }, 'A user name is'],
  [{ name: 'BOB' }, 'An account with this name already exists.'],
  [{ email: 'nonsense' }, 'This is not an e-mail address.'],
  [{ csrf: 'guessed' }, 'This form was too old'],
])('shows the form again for %j', async (fields, problem) => {
  const server = await openTestServer(OPEN);
  const { send } = await openForm(server);
  const again = await send(fields);
  const html = await again.text();
  expect(again.status).toBe(400);
  expect(html).toContain(problem);
  expect(html).not.toContain('pass phrase');
  expect(await login(server, 'ann', 'pass phrase')).toBe(401);
});

it.each([
  { fields: { name: 'BOB' }, wrong: 'name' },
  { fields: { email: 'BOB@example.org' }, wrong: 'email' },
])('marks the field that another account has: $wrong', async ({ fields, wrong }) => {
  const server = await openTestServer(OPEN);
  await server.services.administration.setEmail('bob', 'bob@example.org');
  const { send } = await openForm(server);
  const html = await (await send({ email: 'ann@example.org', ...fields })).text();
  expect([...html.matchAll(/<p class="error" id="(\w+)-error">/g)].map(([, field]) => field)).toEqual([wrong]);
  for (const value of Object.values({ name: 'ann', email: 'ann@example.org', ...fields })) {
    expect(html).toContain(`value="${value}"`);
  }
});

it('refuses a form that is too large, because anybody can send one', async () => {
  const { app } = await openTestServer();
  const body = new URLSearchParams({ ...FIELDS, email: 'x'.repeat(16 * 1024) });
  expect((await app.request('http://localhost/register', { method: 'POST', body })).status).toBe(413);
});

it('refuses a password that is not UTF-8: nobody could log in with it', async () => {
  const { app } = await openTestServer(OPEN);
  const body = 'name=ann&password=caf%E9s&again=caf%E9s';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await app.request('http://localhost/register', { method: 'POST', body, headers });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('the form is not UTF-8');
});

it.each([
  ['url-encoded', (fields: number) => new URLSearchParams('name=ann&'.repeat(fields))],
  ['multipart', toForm],
])('refuses a form with more than 50 fields, because reading it takes seconds: %s', async (_, toBody) => {
  const { app } = await openTestServer(OPEN);
  const send = async (fields: number): Promise<string> => {
    const answer = await app.request('http://localhost/register', { method: 'POST', body: toBody(fields) });
    expect(answer.status).toBe(400);
    return answer.text();
  };
  expect(await send(50)).not.toContain('more than 50 fields');
  expect(await send(51)).toContain('more than 50 fields');
});

it('counts the fields of a form while reading, whatever else its type contains', async () => {
  const { app } = await openTestServer(OPEN);
  const headers = { 'content-type': 'application/x-www-form-urlencoded; boundary=z' };
  const body = `\r\n\r\n${'name=ann&'.repeat(51)}`;
  const answer = await app.request('http://localhost/register', { method: 'POST', body, headers });
  expect(await answer.text()).toContain('more than 50 fields');
});

it('allows twenty accounts an hour from one address', async () => {
  const server = await openTestServer(OPEN);
  const { send } = await openForm(server);
  for (const slip of [{ name: 'a b' }, { email: 'nonsense' }, { password: '', again: '' }]) await send(slip);
  for (let number = 1; number <= 20; number += 1) expect((await send({ name: `ann-${number}` })).status).toBe(303);
  const refused = await send({ name: 'ann-21' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
  expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await refused.text()).toContain('Too many accounts were created from here; try again in 60 minutes.');
  expect(await login(server, 'ann-21', 'pass phrase')).toBe(401);
  server.clock.now += 3600;
  expect((await send({ name: 'ann-21' })).status).toBe(303);
});

it('allows forty accounts an hour from all networks of one IPv6 site', async () => {
  const server = await openTestServer({ ...OPEN, trustProxy: true });
  const { send, cookie } = await openForm(server);
  const register = async (number: number, from: string): Promise<number> =>
    (await send({ name: `ann-${number}` }, { cookie, 'x-forwarded-for': from })).status;
  for (let number = 1; number <= 40; number += 1) {
    expect(await register(number, `2001:db8:1:${number.toString(16)}::1`)).toBe(303);
  }
  expect(await register(41, '2001:db8:1:ffff::1')).toBe(429);
  expect(await register(41, '2001:db8:2:1::1')).toBe(303);
  server.clock.now += 3600;
  expect(await register(42, '2001:db8:1:ffff::1')).toBe(303);
});

it('refuses a form from another site, which has no matching cookie', async () => {
  const server = await openTestServer(OPEN);
  const { send } = await openForm(server);
  expect((await send({}, {})).status).toBe(400);
  for (const cookie of ['csrf=another', 'csrf=', 'csrf=\xe9']) expect((await send({}, { cookie })).status).toBe(400);
  expect((await send({ csrf: 'e' }, { cookie: 'csrf=\xe9' })).status).toBe(400);
  expect(await login(server, 'ann', 'pass phrase')).toBe(401);
});

it.each([
  ['a line break', '%0d%0aset-cookie:%20sessionid=mine'],
  ['another cookie attribute', 'x;%20Domain=example.org'],
  ['a value of another length', 'abc'],
])('does not send back a CSRF cookie that it has not issued: %s', async (_what, value) => {
  const { app } = await openTestServer(OPEN);
  const headers = { cookie: `csrf=${value}` };
  for (const answer of [
    await app.request('http://localhost/register', { headers }),
    await app.request('http://localhost/register', { method: 'POST', headers, body: new URLSearchParams(FIELDS) }),
  ]) {
    expect([200, 400]).toContain(answer.status);
    expect(answer.headers.get('set-cookie')).toMatch(/^csrf=[\w-]{24}; Path=\/; [^,]+$/);
  }
});

it('keeps the CSRF cookie that it has issued, so that a form in another tab still works', async () => {
  const server = await openTestServer(OPEN);
  const { shown, send } = await openForm(server);
  const [cookie] = shown.headers.get('set-cookie')!.split(';');
  const second = await server.app.request('http://localhost/register', { headers: { cookie: cookie! } });
  expect(second.headers.get('set-cookie')).toContain(cookie);
  expect((await send()).status).toBe(303);
});

it('escapes entered values', async () => {
  const { send } = await openForm(await openTestServer(OPEN));
  const html = await (await send({ name: '"><script>alert(1)</script>' })).text();
  expect(html).not.toContain('<script>');
  expect(html).toContain('&lt;script&gt;');
});

it('is closed by default', async () => {
  const server = await openTestServer();
  expect(await server.services.registration.firstAccountToken()).toBeUndefined();
  for (const query of ['', '?token=', '?token=guessed', '?token=undefined']) {
    const { shown, send } = await openForm(server, query);
    expect(shown.status).toBe(403);
    expect((await send({ token: 'guessed' })).status).toBe(403);
  }
});

it('creates the first account with the link, once', async () => {
  const server = await openTestServer({ users: [] });
  const token = (await server.services.registration.firstAccountToken())!;
  expect((await openForm(server)).shown.status).toBe(403);
  const { send } = await openForm(server, `?token=${token}`);
  for (const slip of [{ name: 'a b' }, { password: 'short', again: 'short' }]) {
    expect((await send(slip)).status).toBe(400);
  }
  const both = await Promise.all([send(), send({ name: 'eve' })]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([303, 403]);
  expect((await openForm(server, `?token=${token}`)).shown.status).toBe(403);
  expect(await server.services.registration.firstAccountToken()).toBeUndefined();
});

it('leads someone who has just registered to the start page if they go back or send the form twice', async () => {
  const server = await openTestServer({ users: [] });
  const path = `/register?token=${await server.services.registration.firstAccountToken()}`;
  const visitor = openVisitor(server);
  await visitor.send(path, FIELDS);
  for (const again of [await visitor.get(path), await visitor.submit(path, FIELDS)]) {
    expect([again.status, again.location]).toEqual([303, 'http://localhost/']);
  }
});

it('creates the first account with the link even if the storage failed at first', async () => {
  const server = await openTestServer({ users: [] });
  const { send } = await openForm(server, `?token=${await server.services.registration.firstAccountToken()}`);
  vi.spyOn(server.storage.users, 'create').mockRejectedValueOnce(new StorageError('full', 'the disk is full'));
  expect((await send()).status).toBe(507);
  expect(server.errors.splice(0)).toEqual(['the disk is full']);
  expect((await send()).status).toBe(303);
});

it('creates no account with the link once an account exists', async () => {
  const server = await openTestServer({ users: [] });
  const token = (await server.services.registration.firstAccountToken())!;
  const { send } = await openForm(server, `?token=${token}`);
  await server.services.accounts.create({ name: 'bob', password: 'secret' });
  expect((await openForm(server, `?token=${token}`)).shown.status).toBe(403);
  expect((await send()).status).toBe(403);
  expect(await login(server, 'ann', 'pass phrase')).toBe(401);
});
