import { describe, expect, it, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { cookieOf, logIn, openTestServer, type RequestOptions, TARGETS } from '../server.ts';

const LOGIN = '/api/2/auth/bob/login.json';
const LOGOUT = '/api/2/auth/bob/logout.json';
const DEVICES = '/api/2/devices/bob.json';

describe.each(TARGETS)('login and logout (%s)', (target) => {
  it('sets a cookie that works on every path until logout', async () => {
    const server = await openTestServer({}, target);
    const cookie = await logIn(server);
    expect(await (await server.request('POST', LOGIN, { cookie })).text()).toBe('');
    expect((await server.request('GET', DEVICES, { cookie })).status).toBe(200);
    expect((await server.request('GET', '/subscriptions/bob.json', { cookie })).status).toBe(200);
    const logout = await server.request('POST', LOGOUT, { cookie });
    expect([logout.status, await logout.text(), cookieOf(logout)]).toEqual([200, '', '']);
    expect((await server.request('GET', DEVICES, { cookie })).status).toBe(401);
  });

  it('returns the cookie even if the app already sends it', async () => {
    const server = await openTestServer({}, target);
    const cookie = await logIn(server);
    for (const basic of [{}, { auth: 'bob:secret' }]) {
      expect(cookieOf(await server.request('POST', LOGIN, { cookie, ...basic }))).toBe(cookie);
    }
    expect(cookieOf(await server.request('POST', LOGIN, { cookie: 'stale', auth: 'bob:secret' }))).not.toBe('stale');
  });

  it.each<[string, RequestOptions, number]>([
    [LOGIN, {}, 401],
    [LOGIN, { auth: 'bob:wrong' }, 401],
    [LOGIN, { auth: 'nobody:secret' }, 401],
    [LOGIN, { auth: 'bob:secret' }, 200],
    [LOGIN, { auth: 'BOB:secret' }, 200],
    [LOGIN, { headers: { authorization: `basic ${btoa('bob:secret')}` } }, 200],
    [LOGIN, { auth: 'eve:secret' }, 403],
    [LOGIN, { cookie: 'stale' }, 401],
    [LOGIN, { cookie: 'stale', auth: 'bob:secret' }, 200],
    [LOGIN, { headers: { authorization: 'Bearer secret' } }, 401],
    [LOGIN, { headers: { authorization: 'Basic' } }, 401],
    [LOGIN, { headers: { authorization: 'Basic ////' } }, 401],
    [LOGIN, { headers: { authorization: `Basic ${btoa('bob')}` } }, 401],
    [LOGOUT, {}, 200],
    [LOGOUT, { cookie: 'stale' }, 200],
    [LOGOUT, { auth: 'bob:secret' }, 200],
    ['/api/2/auth/BoB/login.json', { auth: 'bob:secret' }, 200],
  ])('POST %s %j is %d', async (path, options, status) => {
    const { request } = await openTestServer({}, target);
    const answer = await request('POST', path, options);
    expect(answer.status).toBe(status);
    const challenge = status === 401 ? 'Basic realm="podsync", charset="UTF-8"' : null;
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
  });

  it('refuses the cookie of another user with 400', async () => {
    const server = await openTestServer({}, target);
    const cookie = await logIn(server, 'eve');
    expect((await server.request('POST', LOGIN, { cookie })).status).toBe(400);
    expect((await server.request('POST', LOGIN, { cookie, auth: 'bob:secret' })).status).toBe(400);
    expect((await server.request('POST', LOGOUT, { cookie })).status).toBe(400);
    expect((await server.request('GET', '/api/2/devices/eve.json', { cookie })).status).toBe(200);
  });

  it.each(['stale', '%0d%0aset-cookie: a=b', 'x%3B Domain%3Dexample.org'])(
    'does not return the cookie %j, which is not that of a session',
    async (cookie) => {
      const { request } = await openTestServer({}, target);
      const headers = { 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' };
      const answer = await request('POST', LOGIN, { cookie, auth: 'bob:secret', headers });
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null]);
    },
  );

  it('sets no cookie at logout', async () => {
    const { request } = await openTestServer({}, target);
    expect(cookieOf(await request('POST', LOGOUT, { auth: 'bob:secret' }))).toBeUndefined();
  });
});

describe('identity', () => {
  const auth = 'bob:secret';

  it('has a cookie for every path, which browsers keep for a year and hide from scripts and other websites', async () => {
    const { request } = await openTestServer();
    const cookie = (await request('GET', DEVICES, { auth })).headers.get('set-cookie')!;
    expect(cookie.split('; ').slice(1)).toEqual(['Path=/', 'Max-Age=31536000', 'HttpOnly', 'SameSite=Lax']);
  });

  it('sets a cookie for every Basic request without one, and the same one for a while', async () => {
    const { request } = await openTestServer();
    const first = cookieOf(await request('GET', DEVICES, { auth }));
    const second = cookieOf(await request('POST', LOGIN, { auth }));
    expect(first).toMatch(/^[\w-]{32}$/);
    expect(second).toBe(first);
    expect(cookieOf(await request('GET', DEVICES, { auth, cookie: first! }))).toBeUndefined();
    expect(cookieOf(await request('GET', DEVICES, { cookie: first! }))).toBeUndefined();
    const elsewhere = await request('GET', DEVICES, { auth, headers: { 'user-agent': 'another app' } });
    expect(cookieOf(elsewhere)).not.toBe(first);
  });

  it('sets the same cookie for many simultaneous requests', async () => {
    const { request } = await openTestServer();
    const answers = await Promise.all(Array.from({ length: 5 }, () => request('GET', DEVICES, { auth })));
    expect([...new Set(answers.map(cookieOf))]).toEqual([expect.stringMatching(/./)]);
  });

  it('is refused for a password that is changed while it is checked', async () => {
    const server = await openTestServer();
    const { users, sessions } = server.storage;
    const save = sessions.save.bind(sessions);
    vi.spyOn(sessions, 'save').mockImplementationOnce(async (session) => {
      await users.update(session.user, { passwordHash: 'another hash' });
      await sessions.endAll(session.user);
      await save(session);
    });
    const answer = await server.request('GET', DEVICES, { auth });
    expect([answer.status, cookieOf(answer)]).toEqual([401, undefined]);
    expect(await sessions.all((await users.find('bob'))!.id)).toEqual([]);
  });

  it('stays valid for a client with cookies beside one without', async () => {
    const server = await openTestServer();
    const headers = { 'user-agent': 'another app' };
    const cookie = await logIn(server);
    for (let minute = 0; minute < 3 * 24 * 60; minute += 10) {
      server.clock.now += 600;
      await server.request('GET', DEVICES, { auth, headers });
    }
    expect((await server.request('GET', DEVICES, { cookie })).status).toBe(200);
    const { id } = (await server.storage.users.find('bob'))!;
    expect(await server.storage.sessions.all(id)).toHaveLength(4);
  });

  it('ends after a hundred newer sessions were opened', async () => {
    const server = await openTestServer();
    const cookies: string[] = [];
    for (let client = 0; client < 101; client++) {
      server.clock.now += 1;
      const answer = await server.request('GET', DEVICES, { auth, headers: { 'user-agent': `app ${client}` } });
      cookies.push(cookieOf(answer)!);
    }
    const statuses = [0, 1, 100].map(
      async (at) => (await server.request('GET', DEVICES, { cookie: cookies[at]! })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  });

  it('accepts a cookie in quotes, as Java sends it', async () => {
    const server = await openTestServer();
    const headers = { cookie: `$Version="1"; sessionid="${await logIn(server)}";$Path="/";$Domain="localhost"` };
    expect((await server.request('GET', DEVICES, { headers })).status).toBe(200);
  });

  it('prefers Basic if both are sent', async () => {
    const server = await openTestServer();
    const cookie = await logIn(server, 'eve');
    const answer = await server.request('GET', DEVICES, { auth, cookie });
    expect(answer.status).toBe(200);
    expect(cookieOf(answer)).toMatch(/./);
    expect((await server.request('GET', DEVICES, { auth: 'bob:wrong', cookie })).status).toBe(401);
  });

  it.each(['', 'Basic', 'Bearer abc'])(
    'is that of the cookie if the header %j has no Basic credentials',
    async (header) => {
      const server = await openTestServer();
      const cookie = await logIn(server);
      const answer = await server.request('GET', DEVICES, { cookie, headers: { authorization: header } });
      expect(answer.status).toBe(200);
    },
  );

  it('is refused with an explanation if the credentials have no colon', async () => {
    const { request } = await openTestServer();
    expect(await (await request('GET', DEVICES, { auth: 'bob' })).text()).toContain('base64 of name:password');
  });

  it('works by e-mail', async () => {
    const { services, request } = await openTestServer();
    await services.accounts.create({ name: 'ann', email: 'Ann@example.org', password: 'secret' });
    expect((await request('GET', '/api/2/devices/ann.json', { auth: 'ann@example.org:secret' })).status).toBe(200);
    expect((await request('GET', '/api/2/devices/ann%40example.org.json', { auth: 'ann:secret' })).status).toBe(200);
  });

  it('accepts passwords with colons and letters of any script', async () => {
    const { services, request } = await openTestServer();
    await services.accounts.create({ name: 'ann', password: 'pä:ß🎧' });
    const header = { authorization: `Basic ${Buffer.from('ann:pä:ß🎧').toString('base64')}` };
    expect((await request('GET', '/api/2/devices/ann.json', { headers: header })).status).toBe(200);
    const latin1 = { authorization: `Basic ${Buffer.from('ann:pä', 'latin1').toString('base64')}` };
    expect((await request('GET', '/api/2/devices/ann.json', { headers: latin1 })).status).toBe(401);
  });

  it('accepts a password in Latin-1, as gPodder sends it when it downloads a list', async () => {
    const { services, request } = await openTestServer();
    await services.accounts.create({ name: 'ann', password: 'gr\xfcn' });
    const latin1 = { authorization: `Basic ${Buffer.from('ann:gr\xfcn', 'latin1').toString('base64')}` };
    expect((await request('GET', '/subscriptions/ann.opml', { headers: latin1 })).status).toBe(200);
  });

  it('answers the same for another user and for an unknown one', async () => {
    const { request } = await openTestServer();
    const texts = ['eve', 'nobody'].map(async (name) => {
      const answer = await request('GET', `/api/2/devices/${name}.json`, { auth });
      return [answer.status, await answer.text()];
    });
    const [eve, nobody] = await Promise.all(texts);
    expect(eve).toEqual([403, expect.stringContaining('another user')]);
    expect(nobody).toEqual(eve);
    const list = await request('GET', '/subscriptions/eve/phone.json', { auth });
    expect([list.status, list.headers.has('www-authenticate')]).toEqual([401, true]);
  });

  it('ends a year after its last use', async () => {
    const server = await openTestServer();
    const cookie = await logIn(server);
    const year = 365 * 86_400;
    server.clock.now += year - 1;
    const late = await server.request('GET', DEVICES, { cookie });
    expect([late.status, cookieOf(late)]).toEqual([200, cookie]);
    server.clock.now += year - 1;
    expect((await server.request('GET', DEVICES, { cookie })).status).toBe(200);
    server.clock.now += year;
    expect((await server.request('GET', DEVICES, { cookie })).status).toBe(401);
  });
});

it('on a full disk a client with a session can read, and writes are refused with 507', async () => {
  const server = await openTestServer();
  const cookie = await logIn(server);
  server.clock.now += 2 * 86_400; // the session is extended once a day
  for (const verb of ['save', 'update'] as const) {
    vi.spyOn(server.storage.sessions, verb).mockRejectedValue(new StorageError('full', 'the disk is full'));
  }
  for (const [method, path, credentials] of [
    ['GET', DEVICES, { cookie }],
    ['GET', '/api/2/devices/eve.json', { auth: 'eve:secret' }],
    ['HEAD', '/api/2/devices/eve.json', { auth: 'eve:secret' }],
  ] as const) {
    const answer = await server.request(method, path, credentials);
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null]);
  }
  expect((await server.request('POST', '/api/2/auth/eve/login.json', { auth: 'eve:secret' })).status).toBe(507);
  expect(server.errors.splice(0)).toEqual(['the disk is full']); // once, for the login
});

it('a session has the name of its app, unless the account does not allow that', async () => {
  const { request, services, storage } = await openTestServer();
  const use = (app: string) => request('GET', DEVICES, { auth: 'bob:secret', headers: { 'user-agent': app } });
  const { id } = (await storage.users.find('bob'))!;
  const apps = async () => (await services.sessions.all(id)).map(({ app }) => app).toSorted();
  await use('AntennaPod/3.5');
  expect(await apps()).toEqual(['AntennaPod/3.5']);
  await storage.settings.update(id, { kind: 'account' }, { set: { store_user_agent: false }, remove: [], limit: 10 });
  await use('Kasts/24.08');
  expect(await apps()).toEqual(['AntennaPod/3.5', undefined]);
});

it('the names of apps that are stored are removed when the account stops allowing that', async () => {
  const { request, services, storage } = await openTestServer();
  const { id } = (await storage.users.find('bob'))!;
  const secret = await services.appPasswords.create(id, 'Phone');
  const headers = { 'user-agent': 'AntennaPod/3.5' };
  const list = '/subscriptions/bob/phone.json';
  await request('PUT', list, { auth: 'bob:secret', headers, body: ['http://example.org/feed'] });
  await request('GET', list, { auth: `bob:${secret}`, headers });
  const names = async () => {
    const all = [services.devices.all(id), services.appPasswords.all(id), services.sessions.all(id)] as const;
    return (await Promise.all(all)).flat().map(({ app }) => app);
  };
  expect(await names()).toEqual(['AntennaPod/3.5', 'AntennaPod/3.5', 'AntennaPod/3.5']);
  const body = { set: { store_user_agent: false }, remove: [] };
  await request('POST', '/api/2/settings/bob/account.json', { auth: 'bob:secret', headers, body });
  expect(new Set(await names())).toEqual(new Set(['', undefined]));
  expect((await request('GET', list, { auth: 'bob:secret', headers })).status).toBe(200);
});
