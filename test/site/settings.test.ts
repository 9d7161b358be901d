import { expect, it, vi } from 'vitest';
import { cookieOf, openTestServer } from '../server.ts';
import { openVisitor, signIn } from './browser.ts';

const at = (form: string): string => `http://localhost/settings/${form}`;

async function openSettings() {
  const server = await openTestServer({ users: ['bob', 'eve'] });
  return { ...server, server, visitor: await signIn(server) };
}

it('changes what others see', async () => {
  const { visitor, request } = await openSettings();
  const done = await visitor.send('/settings', { publicProfile: 'on' }, at('privacy'));
  expect(done.location).toBe('http://localhost/settings?saved=privacy');
  const stored = await request('GET', '/api/2/settings/bob/account.json', { auth: 'bob:secret' });
  const privacy = { public_profile: true, public_subscriptions: false, store_user_agent: false };
  expect(await stored.json()).toEqual(privacy);
  const { html } = await visitor.get('/settings');
  expect(/name="publicProfile"[^>]*/.exec(html)![0]).toContain('checked');
  expect(/name="publicSubscriptions"[^>]*/.exec(html)![0]).not.toContain('checked');
});

it.each([
  ['public', '>Anyone can see my profile page.<'],
  ['members', '>Anyone who is signed in can see my profile page.<'],
  ['off', '>At present this server shows neither profiles nor a directory, whatever you choose here.<'],
] as const)('says who sees the profile with --directory %s', async (directory, text) => {
  const server = await openTestServer({ directory });
  expect((await (await signIn(server)).get('/settings')).html).toContain(text);
});

it('describes each check box with its hint, which is not a part of its name', async () => {
  const { visitor } = await openSettings();
  const { html } = await visitor.get('/settings');
  for (const name of ['publicProfile', 'publicSubscriptions', 'storeUserAgent']) {
    expect(html).toMatch(new RegExp(`<input [^>]*name="${name}"[^>]* aria-describedby="${name}-hint">`));
    expect(html).toMatch(new RegExp(`<label for="${name}">[^<]+</label><p class="hint" id="${name}-hint">`));
  }
});

it('changes the e-mail address, which can then be used to sign in', async () => {
  const { visitor, server } = await openSettings();
  await visitor.send('/settings', { email: ' bob@example.org ' }, at('email'));
  await signIn(server, 'bob@example.org');
  expect((await visitor.get('/settings')).html).toContain('value="bob@example.org"');
  await visitor.send('/settings', { email: '' }, at('email'));
  await expect(signIn(server, 'bob@example.org')).rejects.toThrow('could not sign in');
});

it.each([
  ['nonsense', 'This is not an e-mail address.'],
  ['eve@example.org', 'An account with this e-mail address already exists.'],
])('shows the form again for the e-mail address %s', async (email, problem) => {
  const { visitor, services } = await openSettings();
  await services.administration.setEmail('eve', 'eve@example.org');
  const again = await visitor.send('/settings', { email }, at('email'));
  expect(again.status).toBe(400);
  expect(again.html).toContain(`aria-describedby="email-hint email-error" aria-invalid="true"`);
  expect(again.html).toContain(`id="email-error">${problem}`);
  expect(again.html).toContain(`value="${email}"`);
});

it.each([
  ['/settings', '/settings', 'email'],
  ['/lists', '/lists', 'title'],
  ['/subscriptions/import', '/subscriptions', 'file'],
])('the navigation marks where a form on %s belongs, also when it is refused', async (page, section, field) => {
  const { visitor } = await openSettings();
  const current = ({ html }: { html: string }) =>
    /href="http:\/\/localhost([^"]*)" aria-current="page"/g.exec(html)?.[1];
  expect(current(await visitor.get(page))).toBe(section);
  const action = page === '/settings' ? at('email') : `http://localhost${page}`;
  const refused = await visitor.send(page, { [field]: '!' }, action);
  expect([refused.status, current(refused)]).toEqual([400, section]);
});

it('changes the password, and signs out everywhere else', async () => {
  const { visitor, server, request } = await openSettings();
  const other = await signIn(server);
  const fields = { current: 'secret', password: 'new pass phrase', again: 'new pass phrase' };
  expect((await visitor.send('/settings', fields, at('password'))).status).toBe(303);
  expect((await visitor.get('/settings')).status).toBe(200);
  expect((await other.get('/settings')).status).toBe(303);
  expect((await request('GET', '/api/2/devices/bob.json', { auth: 'bob:secret' })).status).toBe(401);
  expect((await request('GET', '/api/2/devices/bob.json', { auth: 'bob:new pass phrase' })).status).toBe(200);
});

it('reports all problems with a new password at once', async () => {
  const { visitor, request } = await openSettings();
  const again = await visitor.send(
    '/settings',
    { current: 'guess', password: 'short', again: 'shore' },
    at('password'),
  );
  expect(again.status).toBe(400);
  for (const problem of ['This is not your password.', 'fewer than 8 characters', 'The two passwords differ.']) {
    expect(again.html).toContain(problem);
  }
  expect(again.html).not.toContain('guess');
  expect((await request('GET', '/api/2/devices/bob.json', { auth: 'bob:secret' })).status).toBe(200);
});

it('lists sessions, and signs out one or all others', async () => {
  const { visitor, request } = await openSettings();
  const sync = async (app: string): Promise<string> => {
    const headers = { 'user-agent': app };
    return cookieOf(await request('POST', '/api/2/auth/bob/login.json', { auth: 'bob:secret', headers }))!;
  };
  const [phone, laptop, tablet] = [await sync('Phone/1'), await sync('Laptop/1'), await sync('Tablet/1')];
  const isSignedIn = async (cookie: string): Promise<boolean> =>
    (await request('GET', '/api/2/devices/bob.json', { cookie })).status === 200;
  const { html } = await visitor.get('/settings');
  expect(html).toContain('This browser');
  expect(html).toContain('aria-label="Sign out Phone/1"');
  const id = /Phone\/1.*?name="id" value="([^"]+)"/s.exec(html)![1]!;
  await visitor.send('/settings', { id }, at('sessions'));
  expect(await Promise.all([phone, laptop, tablet].map(isSignedIn))).toEqual([false, true, true]);
  await visitor.send('/settings', { id: 'others' }, at('sessions'));
  expect(await Promise.all([phone, laptop, tablet].map(isSignedIn))).toEqual([false, false, false]);
  expect((await visitor.get('/settings')).status).toBe(200);
});

it('names an app that sends no name, and offers to sign out all others only if there are some', async () => {
  const { visitor, request } = await openSettings();
  expect((await visitor.get('/settings')).html).not.toContain('Sign out everywhere else');
  await request('POST', '/api/2/auth/bob/login.json', { auth: 'bob:secret' });
  const { html } = await visitor.get('/settings');
  expect(html).toContain('aria-label="Sign out Unknown app"');
  expect(html.match(/This browser/g)).toHaveLength(1);
  expect(html).toContain('Sign out everywhere else');
});

it('says that too many wrong passwords were tried, instead of whether this one is right', async () => {
  const { visitor } = await openSettings();
  const send = (current: string) =>
    visitor.send('/settings', { current, password: 'new pass phrase', again: 'new pass phrase' }, at('password'));
  for (let guess = 0; guess < 10; guess += 1) await send('guess');
  const refused = await send('secret');
  expect(refused.html).not.toContain('This is not your password.');
  expect(refused.html).toMatch(/id="current-error">Too many/);
});

it('tells the password manager of the browser whose password changes, and a person what to type', async () => {
  const { visitor } = await openSettings();
  const { html } = await visitor.get('/settings');
  expect(html).toContain('name="username" value="bob" autocomplete="username" hidden');
  expect(html).toContain('Type bob to confirm.');
  expect(html).toContain('http://localhost/user/bob, with the lists');
});

it('signs out another browser of the same kind, and not with its own sign-out', async () => {
  const { visitor, server } = await openSettings();
  const [other, third] = [await signIn(server), await signIn(server)];
  await third.send('/settings', {}, 'http://localhost/logout');
  expect((await other.get('/settings')).status).toBe(200);
  await visitor.send('/settings', { id: 'others' }, at('sessions'));
  expect((await other.get('/settings')).status).toBe(303);
  expect((await visitor.get('/settings')).status).toBe(200);
});

it('downloads the whole account as a backup, and no other account', async () => {
  const { visitor, request } = await openSettings();
  await request('PUT', '/subscriptions/bob/phone.json', { auth: 'bob:secret', body: ['http://example.org/a'] });
  const backup = await visitor.get('/settings/backup');
  expect(backup.headers.get('content-disposition')).toBe('attachment; filename="podsync-bob.ndjson"');
  expect(backup.html).toContain('http://example.org/a');
  expect(backup.html).not.toContain('"eve"');
  expect((await request('GET', '/settings/backup')).status).toBe(303);
});

it('deletes the account after its name and password are entered', async () => {
  const { visitor, server } = await openSettings();
  const wrong = await visitor.send('/settings', { name: 'eve', confirm: 'guess' }, at('delete'));
  expect(wrong.status).toBe(400);
  expect(wrong.html).toContain('This is not your user name.');
  expect(wrong.html).toContain('This is not your password.');
  expect(wrong.html).toContain('value="eve"');
  const done = await visitor.send('/settings', { name: 'bob', confirm: 'secret' }, at('delete'));
  expect(done.status).toBe(303);
  expect(done.headers.get('set-cookie')).toMatch(/^sessionid=; .*Max-Age=0/);
  expect((await visitor.get(done.location!)).html).toContain('Your account has been deleted.');
  await expect(signIn(server)).rejects.toThrow('could not sign in');
  expect((await openVisitor(server).get('/user/bob')).status).toBe(404);
});

it.each(['privacy', 'email', 'password', 'sessions', 'delete'])(
  'changes nothing without the token: %s',
  async (form) => {
    const { visitor, request } = await openSettings();
    await request('GET', '/api/2/devices/bob.json', { auth: 'bob:secret', headers: { 'user-agent': 'Phone/1' } });
    const fields = {
      csrf: 'guessed',
      email: 'x@example.org',
      current: 'secret',
      password: 'new password',
      again: 'new password',
    };
    const again = await visitor.send(
      '/settings',
      { ...fields, name: 'bob', confirm: 'secret', id: 'others' },
      at(form),
    );
    expect(again.status).toBe(['privacy', 'sessions'].includes(form) ? 403 : 400);
    expect(again.html).toMatch(/This form was too old; nothing was changed\. (Send it again|Go back, reload the page)/);
    expect((await request('GET', '/api/2/devices/bob.json', { auth: 'bob:secret' })).status).toBe(200);
    const stored = await request('GET', '/api/2/settings/bob/account.json', { auth: 'bob:secret' });
    expect(await stored.json()).toEqual({});
  },
);

it('shows no notice for an address that no form redirects to', async () => {
  const { visitor } = await openSettings();
  await visitor.send('/lists', { title: 'Mine' }, 'http://localhost/lists');
  for (const page of ['/settings?saved', '/lists/mine?done']) {
    expect((await visitor.get(`${page}=privacy`)).html.includes('role="status"')).toBe(page.startsWith('/settings'));
    for (const name of ['constructor', '__proto__']) {
      expect((await visitor.get(`${page}=${name}`)).html).not.toContain('role="status"');
    }
  }
});

it('shows the page if the session ends while it is being read', async () => {
  const { visitor, services } = await openSettings();
  vi.spyOn(services.appPasswords, 'all').mockImplementation(async (user) => {
    await services.sessions.endAll(user);
    return [];
  });
  expect((await visitor.get('/settings')).status).toBe(200);
  expect((await visitor.get('/settings')).status).toBe(303);
});
it('tells an owner without public data that others see no profile, and others nothing', async () => {
  const { visitor, server } = await openSettings();
  const own = await visitor.get('/user/bob');
  expect((await visitor.get('/user/BOB')).html).toBe(own.html);
  expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(own.html).toContain('Others cannot see this page, because nothing on it is public.');
  expect(own.html).toContain('href="http://localhost/settings#privacy"');
  for (const other of [openVisitor(server), await signIn(server, 'eve')]) {
    expect((await other.get('/user/bob')).status).toBe(404);
  }
});
