import { describe, expect, it } from 'vitest';
import { logIn, openTestServer, type RequestOptions, TARGETS, type TestServer } from '../../server.ts';

const auth = 'bob:secret';
const A = 'http://example.org/a';
const DEVICE = '/subscriptions/bob/phone.txt';
const EVIL = 'https://evil.example';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const TEXT = { 'content-type': 'text/plain;charset=UTF-8' };
const JSON_TYPE = { 'content-type': 'application/json' };
const NO_TYPE = { 'content-type': '' };
const sent = (site: string, mode: string): Record<string, string> => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': mode,
});

/** Whether an upload of a list with these headers was stored; if not, it must be refused with a message. */
async function isStored(server: TestServer, options: RequestOptions, method = 'POST'): Promise<boolean> {
  const answer = await server.request(method, DEVICE, { body: `${A}\n`, ...options });
  const text = await answer.text();
  if (answer.status !== 200) {
    expect([answer.status, text]).toEqual([
      403,
      expect.stringMatching(/^a page of another website sent this request;/),
    ]);
  }
  const after = await server.request('GET', DEVICE, { auth });
  expect(after.status).toBe(answer.status === 200 ? 200 : 404);
  return after.status === 200;
}

describe.each(TARGETS)('a page of another website (%s)', (target) => {
  it.each([
    ['a form', { ...sent('cross-site', 'navigate'), ...FORM }],
    ['a form on another port', { ...sent('same-site', 'navigate'), ...FORM }],
    ['fetch without CORS', { ...sent('cross-site', 'no-cors'), ...TEXT }],
    ['fetch with CORS and no preflight', { ...sent('cross-site', 'cors'), ...TEXT }],
    ['fetch from a sibling host', { ...sent('same-site', 'cors'), 'content-type': 'MULTIPART/form-data; boundary=x' }],
    ['fetch of a type with a blank', { ...sent('cross-site', 'cors'), 'content-type': 'text/plain ; charset=utf-8' }],
    ['fetch without a content type', { ...sent('cross-site', 'cors'), ...NO_TYPE }],
    ['a form of an old browser, or over plain HTTP', { origin: EVIL, ...FORM }],
    ['a form of a page that hides its address', { origin: 'null', ...TEXT }],
  ])('stores nothing by %s, neither with a cookie nor with a saved password', async (_how, headers) => {
    const server = await openTestServer({}, target);
    expect(await isStored(server, { auth, headers })).toBe(false);
    expect(await isStored(server, { cookie: await logIn(server), headers })).toBe(false);
  });

  it.each([
    ['JSON', { ...sent('same-site', 'cors'), ...JSON_TYPE }],
    ['JSON with an Origin', { origin: EVIL, ...JSON_TYPE }],
    ['JSON to an origin that names another port', { origin: 'http://localhost:1', ...JSON_TYPE }],
    ['text with a header of Nextcloud apps', { origin: EVIL, 'ocs-apirequest': 'true', ...TEXT }],
  ])('stores %s with its own password, but not with the cookie', async (_what, headers) => {
    const server = await openTestServer({}, target);
    expect(await isStored(server, { cookie: await logIn(server), headers }, 'PUT')).toBe(false);
    expect(await isStored(server, { cookie: await logIn(server), headers })).toBe(false);
    expect(await isStored(server, { auth, cookie: await logIn(server), headers })).toBe(true);
    expect((await server.request('POST', DEVICE, { body: A, headers })).status).toBe(401);
  });

  it('is not allowed the header of Nextcloud apps', async () => {
    const server = await openTestServer({}, target);
    const preflight = await server.request('OPTIONS', DEVICE, { headers: { origin: EVIL } });
    expect(preflight.headers.get('access-control-allow-headers')).not.toMatch(/ocs|\*/);
  });

  it('gets no session for a name and password, which could be in a link', async () => {
    const server = await openTestServer({}, target);
    const { id } = (await server.storage.users.find('bob'))!;
    const appPassword = `bob:${await server.services.appPasswords.create(id, 'Phone')}`;
    for (const own of [auth, appPassword]) {
      const cookieFor = async (site: string): Promise<string | null> => {
        const headers = sent(site, 'navigate');
        const answer = await server.request('GET', '/api/2/devices/bob.json', { auth: own, headers });
        expect(answer.status).toBe(200);
        return answer.headers.get('set-cookie');
      };
      expect(await cookieFor('cross-site')).toBeNull();
      expect(await cookieFor('none')).toMatch(/^sessionid=/);
    }
    expect(await server.storage.sessions.all(id)).toHaveLength(1);
  });

  it.each(['PUT', 'DELETE'])('may %s with its own password, which needs a preflight', async (method) => {
    const server = await openTestServer({}, target);
    await server.request('POST', '/api/2/lists/bob/create.json?title=x', { auth, body: [A] });
    const headers = { ...sent('cross-site', 'cors'), ...(method === 'PUT' ? TEXT : {}) };
    const body = method === 'PUT' ? { body: A } : {};
    const answer = await server.request(method, '/api/2/lists/bob/list/x.txt', { auth, headers, ...body });
    expect(answer.status).toBe(204);
  });

  it.each<[string, Record<string, string>]>([
    ['the own website', { ...sent('same-origin', 'navigate'), ...FORM }],
    ['the own website that sends no address', { ...sent('same-origin', 'navigate'), origin: 'null', ...FORM }],
    ['a person who typed the address', { ...sent('none', 'navigate'), ...FORM }],
    ['an app that sends JSON as a form', FORM],
    ['an app on Node', { 'sec-fetch-mode': 'cors', ...TEXT }],
  ])('is not %s', async (_sender, headers) => {
    const server = await openTestServer({}, target);
    expect(await isStored(server, { cookie: await logIn(server), headers })).toBe(true);
    expect(await isStored(server, { auth, headers })).toBe(true);
  });

  it('cannot load private data as a script or image', async () => {
    const server = await openTestServer({}, target);
    await isStored(server, { auth });
    const cookie = await logIn(server);
    const path = '/subscriptions/bob/phone.jsonp?jsonp=take';
    for (const login of [{ cookie }, { auth }]) {
      for (const site of ['cross-site', 'same-site']) {
        expect((await server.request('GET', path, { ...login, headers: sent(site, 'no-cors') })).status).toBe(403);
      }
      for (const headers of [{}, sent('same-origin', 'no-cors')]) {
        const answer = await server.request('GET', path, { ...login, headers });
        expect([answer.status, await answer.text()]).toEqual([200, `take(["${A}"]);`]);
        expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      }
    }
  });

  it('can use the public directory, also with a cookie', async () => {
    const server = await openTestServer({}, target);
    await isStored(server, { auth });
    const cookie = await logIn(server);
    for (const path of ['/toplist/10.jsonp?jsonp=take', '/search.jsonp?jsonp=take&q=example', '/api/2/tags/9.json']) {
      const answer = await server.request('GET', path, { cookie, headers: sent('cross-site', 'no-cors') });
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect(answer.headers.get('cross-origin-resource-policy')).toBeNull();
    }
  });
});

it.each(['tauri://localhost', 'http://tauri.localhost'])('Cardo, whose origin is %s, can log in', async (origin) => {
  const { request } = await openTestServer();
  const headers = { origin, host: 'sync.example' };
  const login = await request('POST', '/api/2/auth/bob/login.json', { auth, headers });
  expect([login.status, login.headers.get('set-cookie')]).toEqual([200, null]);
  const wrong = await request('POST', '/api/2/auth/bob/login.json', { auth: 'bob:wrong', headers });
  expect(wrong.status).toBe(401);
  const device = { headers: { ...headers, ...JSON_TYPE }, body: { caption: 'Cardo', type: 'desktop' } };
  expect((await request('POST', '/api/2/devices/bob/cardo.json', { auth, ...device })).status).toBe(200);
});

it('a page of another website can log nobody out', async () => {
  const server = await openTestServer();
  const login = { cookie: await logIn(server) };
  const headers = { origin: EVIL };
  expect((await server.request('POST', '/api/2/auth/bob/logout.json', { ...login, headers })).status).toBe(403);
  expect((await server.request('GET', '/api/2/devices/bob.json', login)).status).toBe(200);
});

// Not on a socket: fetch of Node replaces Sec-Fetch-Mode.
it('a link on another website registers no device for Nextcloud apps', async () => {
  const server = await openTestServer();
  const path = '/index.php/apps/gpoddersync/subscriptions';
  const login = { cookie: await logIn(server) };
  const linked = { headers: sent('cross-site', 'navigate') };
  for (const credentials of [login, { auth }]) {
    expect((await server.request('GET', path, { ...credentials, ...linked })).status).toBe(403);
  }
  const devices = await server.request('GET', '/api/2/devices/bob.json', { auth });
  expect(await devices.json()).toEqual([]);
  const script = { auth, headers: sent('cross-site', 'cors') };
  for (const allowed of [script, login, { auth }]) {
    expect((await server.request('GET', path, allowed)).status).toBe(200);
  }
});

it.each<[object, Record<string, string>, boolean]>([
  [{ baseUrl: 'https://sync.example/sub' }, { origin: 'https://sync.example' }, true],
  [{ baseUrl: 'https://sync.example/sub' }, { origin: 'http://localhost' }, true],
  [{ baseUrl: 'https://sync.example/sub' }, { origin: 'https://other.example' }, false],
  [{}, { origin: 'https://sync.example', host: 'sync.example' }, true],
  [{}, { origin: 'https://sync.example:8443', host: 'sync.example' }, false],
  [{}, { origin: 'http://x:1', host: 'x:99999' }, false],
  [{}, { origin: EVIL, 'x-forwarded-host': 'evil.example' }, false],
  [{ trustProxy: true }, { origin: 'https://sync.example', 'x-forwarded-host': 'sync.example' }, true],
])('with %j a browser that sends %j is on the own website: %j', async (options, headers, isOwn) => {
  const server = await openTestServer(options);
  expect(await isStored(server, { auth, headers: { ...headers, ...FORM } })).toBe(isOwn);
});

it('another website cannot register an account', async () => {
  const { request } = await openTestServer({ registration: 'open' });
  const shown = await request('GET', '/register');
  expect(await shown.text()).toContain('<meta name="referrer" content="same-origin">');
  expect(shown.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  for (const headers of [sent('cross-site', 'navigate'), { origin: EVIL }]) {
    const answer = await request('POST', '/register', { headers: { ...headers, ...FORM }, body: 'name=ann' });
    expect(answer.status).toBe(403);
  }
});

it.each(['navigate', 'no-cors'])('a page of another website stores no JSON by %s', async (mode) => {
  const headers = { ...sent('cross-site', mode), ...JSON_TYPE };
  expect(await isStored(await openTestServer(), { auth, headers })).toBe(false);
});
