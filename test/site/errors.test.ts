import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { openVisitor, signIn } from './browser.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

it.each([
  ['/nowhere', 404, 'Page not found'],
  ['/podcast?url=http://example.org/unknown', 404, 'Page not found'],
  ['/api/2/devices/bob.json', 401, 'Sign in first'],
  ['/upload/../toplist/0.json', 400, 'Bad request'],
])('%s is an error page in a browser: %i', async (path, status, title) => {
  const { request } = await openTestServer();
  const answer = await request('GET', path, { headers: BROWSER });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  const html = await answer.text();
  expect(html).toContain(`<h1>${title}</h1>`);
  const isUseful = status === 401 || path.startsWith('/podcast');
  expect(html.includes(`/login?next=${encodeURIComponent(path)}">Sign in</a>`)).toBe(isUseful);
  expect(html.includes('/login')).toBe(isUseful);
  expect(html.includes('If it belongs to your account, sign in')).toBe(path.startsWith('/podcast'));
  expect(html).toContain('Search the directory');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
});

it.each([
  ['a podcast', '/podcast?url=*', '/podcast?url=http%3A%2F%2Fother.example%2Ffeed'],
  ['an episode', '/episode?podcast=*&url=http%3A%2F%2Fexample.org%2F1.mp3', '/episode?podcast=*&url=other'],
  ['a profile', '/user/bob', '/user/other'],
])('a signed-out visitor of the private page of %s can sign in, and the page looks as if unknown', async (...paths) => {
  const [page, unknown] = paths
    .slice(1)
    .map((path) => path.replace('*', encodeURIComponent('http://example.org/feed')));
  const server = await openTestServer({ users: ['bob', 'eve'] });
  const auth = 'bob:secret';
  const action = { podcast: 'http://example.org/feed', episode: 'http://example.org/1.mp3', action: 'play' };
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [action.podcast] });
  await server.request('POST', '/api/2/episodes/bob.json', { auth, body: [action] });
  const body = { set: { public_subscriptions: false }, remove: [] };
  await server.request('POST', '/api/2/settings/bob/account.json', { auth, body });

  const [visitor, eve] = [openVisitor(server), await signIn(server, 'eve')];
  const [hidden, other] = [await visitor.get(page!), await visitor.get(unknown!)];
  expect(hidden.status).toBe(404);
  expect(hidden.html.replace(encodeURIComponent(page!), '')).toBe(other.html.replace(encodeURIComponent(unknown!), ''));
  expect((await eve.get(page!)).html).not.toMatch(/\/login|sign in/);

  const login = /href="http:\/\/localhost(\/login[^"]*)">Sign in<\/a>/.exec(hidden.html)![1]!;
  const { location } = await visitor.send(login, { name: 'bob', password: 'secret' });
  expect(location).toBe(`http://localhost${page}`);
  expect((await visitor.get(location!)).status).toBe(200);
});

it.each([undefined, '*/*', 'application/json', 'application/json, text/html'])(
  'an error is JSON for a client that accepts %s',
  async (accept) => {
    const { request } = await openTestServer();
    const answer = await request('GET', '/nowhere', { headers: accept === undefined ? {} : { accept } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    expect(await answer.json()).toMatchObject({ code: 404 });
  },
);

it.each(['members', 'off'] as const)('an error page offers no search with --directory %s', async (directory) => {
  const { request } = await openTestServer({ directory });
  expect(await (await request('GET', '/nowhere', { headers: BROWSER })).text()).not.toContain('Search');
});

it('an error of a form offers to sign in, but does not lead back to the address of the form, which is not a page', async () => {
  const { request } = await openTestServer();
  const refused = await request('POST', '/api/2/auth/bob/login.json', { headers: BROWSER });
  expect(await refused.text()).toContain('href="http://localhost/login">Sign in</a>');
  const body = 'csrf=x';
  const headers = { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' };
  expect(await (await request('POST', '/welcome/x', { headers, body })).text()).not.toContain('/login');
});

it('a wrong method is a page that keeps the Allow header', async () => {
  const { request } = await openTestServer();
  const answer = await request('DELETE', '/podcast', { headers: BROWSER });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect(await answer.text()).toContain('<h1>Method not allowed</h1>');
});

it.each([
  ['/settings/email', '/settings'],
  ['/settings/app-passwords/revoke', '/settings'],
  ['/subscriptions/remove', '/subscriptions'],
  ['/lists/mine/rename/', '/lists/mine'],
  ['/devices/sync', '/devices'],
  ['/device/remove?id=a%20b', '/device?id=a%20b'],
  ['/logout', '/'],
])('a browser that opens the address of a form, %s, arrives at its page', async (form, page) => {
  const server = await openTestServer();
  const body = ['http://example.org/a'];
  await server.request('PUT', '/subscriptions/bob/a%20b.json', { auth: 'bob:secret', body });
  await server.request('POST', '/api/2/lists/bob/create.json?title=Mine', { auth: 'bob:secret', body });
  const visitor = await signIn(server);
  let [at, answer] = [form, await visitor.get(form)];
  while (answer.status === 303) {
    at = answer.location!.slice('http://localhost'.length);
    answer = await visitor.get(at);
  }
  expect([at, answer.status]).toEqual([page, 200]);
});
