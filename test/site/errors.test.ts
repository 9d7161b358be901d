import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';
import { signIn } from './browser.ts';

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
  expect(html.includes('/login"')).toBe(status === 401);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
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
