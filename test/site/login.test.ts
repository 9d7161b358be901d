import { expect, it } from 'vitest';
import { cookieOf, logIn, openTestServer } from '../server.ts';
import { openVisitor, signIn } from './browser.ts';

const LOGIN = 'http://localhost/login';

it('signs in with the password and continues to the requested page', async () => {
  const server = await openTestServer();
  const visitor = openVisitor(server);
  const done = await visitor.send('/login?next=/podcast?url=a', { name: 'BOB', password: 'secret' }, LOGIN);
  expect([done.status, done.location]).toEqual([303, 'http://localhost/podcast?url=a']);
  const home = await visitor.get('/');
  expect(home.html).toContain('<summary>bob</summary>');
  expect(home.headers.get('cache-control')).toBe('no-store');
  expect(home.html).toContain('<meta name="robots" content="noindex">');
});

it.each(['//evil.example', '/\\evil.example', 'https://evil.example/', '/a\nb', '/\u0001', '/日本', '/é'])(
  'redirects only to an address of this site: not to %j',
  async (next) => {
    const visitor = openVisitor(await openTestServer());
    const done = await visitor.send('/login', { name: 'bob', password: 'secret', next }, LOGIN);
    expect([done.status, done.location]).toEqual([303, 'http://localhost/']);
  },
);

it.each<[Record<string, string>, string]>([
  [{ name: 'bob', password: 'wrong' }, 'The user name or the password is wrong.'],
  [{ name: 'nobody', password: 'secret' }, 'The user name or the password is wrong.'],
  [{ name: 'bob', password: '' }, 'Enter your password.'],
  [{ name: '', password: 'secret' }, 'Enter your user name.'],
  [{ name: 'bob', password: 'secret', csrf: 'guessed' }, 'This form was too old'],
])('shows the form again, with the name, for %j', async (fields, problem) => {
  const visitor = openVisitor(await openTestServer());
  const again = await visitor.send('/login', fields, LOGIN);
  expect(again.status).toBe(problem.endsWith('wrong.') ? 403 : 400);
  expect(again.headers.get('www-authenticate')).toBeNull(); // otherwise the browser would open a dialog
  expect(again.html).toContain(problem);
  if (fields.name) expect(again.html).toContain(`value="${fields.name}"`);
  expect(again.html).not.toContain('secret');
  expect((await visitor.get('/')).html).not.toContain('<summary>');
});

it('replaces a CSRF cookie that it cannot have written, instead of sending it back', async () => {
  const { request } = await openTestServer();
  for (const value of [`${'x'.repeat(24)}; Domain=example`, `x; Domain=example; a=${'x'.repeat(24)}`]) {
    const headers = { cookie: `csrf=${encodeURIComponent(value)}` };
    const cookie = (await request('GET', '/login', { headers })).headers.get('set-cookie');
    expect(cookie).toMatch(/^csrf=[\w-]{24}; Path=\//);
  }
});

it('sends its CSRF cookie only to the path of the server, for a month', async () => {
  const { request } = await openTestServer({ baseUrl: 'https://host.example/pods' });
  const cookie = (await request('GET', '/login')).headers.get('set-cookie');
  expect(cookie?.split('; ')).toEqual(expect.arrayContaining(['Path=/pods', 'Max-Age=2592000', 'Secure']));
});

it('counts wrong passwords together with those of apps', async () => {
  const server = await openTestServer();
  const visitor = openVisitor(server);
  for (let guess = 0; guess < 10; guess += 1) await visitor.send('/login', { name: 'bob', password: 'wrong' }, LOGIN);
  const refused = await visitor.send('/login', { name: 'bob', password: 'secret' }, LOGIN);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '300']);
  expect((await server.request('GET', '/api/2/devices/bob.json', { auth: 'bob:secret' })).status).toBe(429);
});

it('signing in again in the same browser ends its previous session, and no other', async () => {
  const { request, storage } = await openTestServer();
  const csrf = 'x'.repeat(24);
  /** Sends the form from a tab in which it was still open. Returns the new session. */
  const send = async (name: string, session = ''): Promise<string> => {
    const headers = {
      cookie: `csrf=${csrf}; sessionid=${session}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const body = `csrf=${csrf}&name=${name}&password=secret`;
    return cookieOf(await request('POST', '/login', { headers, body }))!;
  };
  const { id } = (await storage.users.find('bob'))!;
  const [first, other] = [await send('bob'), await send('bob')];
  const second = await send('bob', first);
  expect(await storage.sessions.all(id)).toHaveLength(2);
  const third = await send('eve', second);
  expect(await storage.sessions.all(id)).toHaveLength(1);
  expect((await request('GET', '/api/2/devices/bob.json', { cookie: other })).status).toBe(200);
  expect((await request('GET', '/api/2/devices/eve.json', { cookie: third })).status).toBe(200);
});

it('says that a form which was sent after the session ended has changed nothing', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  const { html } = await visitor.get('/lists');
  await server.storage.sessions.endAll((await server.storage.users.find('bob'))!.id);
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)![1]!;
  const sent = await visitor.submit('/lists', { csrf, title: 'Mine' });
  const login = await visitor.get(sent.location!);
  expect(login.html).toContain('Your session has ended, and nothing was changed. Sign in, and send the form again.');
  const done = await visitor.send(sent.location!, { name: 'bob', password: 'secret' }, LOGIN);
  expect([done.status, done.location]).toEqual([303, 'http://localhost/lists']);
});

it('returns to the page of the device whose form was sent after the session ended', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  await server.services.devices.save((await server.storage.users.find('bob'))!.id, 'phone', {});
  await server.storage.sessions.endAll((await server.storage.users.find('bob'))!.id);
  for (const form of ['/device?id=phone', '/device/remove?id=phone']) {
    const { location } = await visitor.submit(form, {});
    expect(new URL(location!).searchParams.get('next'), form).toBe('/device?id=phone');
  }
});

it('asks for cookies if the browser has sent none', async () => {
  const server = await openTestServer({ registration: 'open' });
  for (const path of ['/login', '/register', `/welcome/${await server.services.passwordLinks.reset('bob')}`]) {
    const shown = await server.request('GET', path);
    const csrf = /name="csrf" value="([^"]+)"/.exec(await shown.text())![1]!;
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
    const sent = await server.request('POST', path, { headers, body: `csrf=${csrf}&name=bob&password=secret` });
    expect(sent.status, path).toBe(400);
    expect(await sent.text()).toContain('so allow cookies for this site; nothing was changed. Send it again.');
  }
});

it('asks a user whose CSRF cookie has expired to send the form again, not to allow cookies', async () => {
  const server = await openTestServer();
  const login = await server.request('POST', '/api/2/auth/bob/login.json', { auth: 'bob:secret' });
  const [, cookie] = /sessionid=([^;]+)/.exec(login.headers.get('set-cookie')!)!;
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
  const body = `csrf=${'x'.repeat(24)}&title=Mine`;
  const again = await server.request('POST', '/lists', { cookie: cookie!, headers, body });
  expect(again.status).toBe(400);
  expect(await again.text()).toContain('This form was too old; nothing was changed. Send it again.');
});

it('does not apply a form that another account has opened in the same browser', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/lists')).html)![1]!;
  await visitor.send('/', {}, 'http://localhost/logout');
  await visitor.send('/login', { name: 'eve', password: 'secret' }, LOGIN);
  const again = await visitor.submit('/lists', { csrf, title: 'Of bob' });
  expect(again.status).toBe(400);
  expect(again.html).toContain(
    'Another account has signed in since this form was opened; nothing was changed. Send it again.',
  );
  // Nor one that names no account, as one for visitors.
  expect((await visitor.submit('/lists', { csrf: csrf.split('.')[0]!, title: 'Of nobody' })).status).toBe(400);
  const played = { csrf, podcast: 'https://a.example/feed', url: 'https://a.example/1.mp3', position: '10' };
  expect((await visitor.submit('/episode/progress', played)).status).toBe(403);
  expect((await visitor.submit('/logout', { csrf })).status).toBe(403);
  expect((await visitor.get('/lists')).html).toContain('You have no lists yet.');
  expect((await visitor.send('/lists', { title: 'Of eve' }, 'http://localhost/lists')).status).toBe(303);
});

it('leads a user who has signed in already from the form to the requested page', async () => {
  const visitor = await signIn(await openTestServer());
  for (const [next, page] of [
    ['/lists', '/lists'],
    ['//evil.example', '/'],
  ]) {
    expect((await visitor.get(`/login?next=${next}`)).location).toBe(`http://localhost${page}`);
  }
});

it('keeps the requested page through a wrong password, and ignores blanks around the name', async () => {
  const visitor = openVisitor(await openTestServer());
  const again = await visitor.send('/login?next=/lists', { name: ' bob ', password: 'wrong' }, LOGIN);
  expect(again.html).toContain('name="next" value="/lists"');
  expect(again.html).toContain('value="bob"');
  expect((await visitor.send('/login', { name: ' bob ', password: 'secret' }, LOGIN)).status).toBe(303);
});

it('signs out and ends the session', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  const done = await visitor.send('/', {}, 'http://localhost/logout');
  expect([done.status, done.location]).toEqual([303, 'http://localhost/']);
  expect((await visitor.get('/')).html).not.toContain('<summary>');
});

it('signs out after the session has ended', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/')).html)![1]!;
  await server.storage.sessions.endAll((await server.storage.users.find('bob'))!.id);
  const done = await visitor.submit('/logout', { csrf });
  expect([done.status, done.location]).toEqual([303, 'http://localhost/']);
});

it('does not sign out by the cookie of the session alone', async () => {
  const server = await openTestServer();
  const cookie = await logIn(server);
  const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
  const body = `csrf=${'x'.repeat(24)}`;
  expect((await server.request('POST', '/logout', { cookie, headers, body })).status).toBe(403);
  expect((await server.request('GET', '/api/2/devices/bob.json', { cookie })).status).toBe(200);
});

it('does not sign out with a form without the token', async () => {
  const visitor = await signIn(await openTestServer());
  const refused = await visitor.send('/', { csrf: 'guessed' }, 'http://localhost/logout');
  expect(refused.status).toBe(403);
  expect(refused.html).toContain('<h1>Not allowed</h1>');
  expect((await visitor.get('/')).html).toContain('<summary>bob</summary>');
});

it('a server without accounts says how to create the first one, and later whom to ask', async () => {
  const server = await openTestServer({ users: [] });
  const visitor = openVisitor(server);
  for (const path of ['/', '/login', '/register']) {
    const { html } = await visitor.get(path);
    expect(html, path).toContain(
      'open the link that the server printed when it started, or run <code>podsync user add',
    );
    expect(html, path).not.toMatch(/ask the administrator|Forgot your password|Registration is closed/);
  }
  await server.services.accounts.create({ name: 'bob', password: 'secret' });
  for (const path of ['/', '/login', '/register']) {
    const { html } = await visitor.get(path);
    expect(html, path).toContain('If you have no account, ask the administrator of this server for one.');
    expect(html, path).not.toContain('Create an account</a>');
  }
  expect((await visitor.get('/login')).html).toContain('Forgot your password?');
  expect((await visitor.get('/register')).html).toContain('Registration is closed here.');
});
