import { expect, it } from 'vitest';
import { openTestServer, type TestServer } from '../server.ts';

const A = 'http://example.org/a';
const B = 'http://example.org/b';
const RIGHT = { username: 'bob', password: 'secret', action: 'update-subscriptions', protocol: '0' };

const opml = (...urls: string[]): string =>
  `<opml version="2.0"><body>${urls.map((url) => `<outline type="rss" xmlUrl="${url}"/>`).join('')}</body></opml>`;

async function upload({ app }: TestServer, fields: Record<string, string>, file: string | undefined): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  if (file !== undefined) form.set('opml', new File([file], 'subscriptions.opml'));
  // As bytes: on Node 24 a refusal that cancels the stream of a FormData is an unhandled rejection of Node itself.
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type')! };
  const body = await encoded.arrayBuffer();
  const answer = await app.request('http://localhost/upload', { method: 'POST', headers, body });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  return answer.text();
}

it('replaces the list by the file', async () => {
  const server = await openTestServer();
  await server.services.accounts.create({ name: 'ann', email: 'ann@example.org', password: 'secret' });
  const fields = { ...RIGHT, username: 'ann@example.org' };
  expect(await upload(server, fields, opml(A))).toBe('@SUCCESS');
  expect(await upload(server, { ...fields, username: 'ann' }, opml(B))).toBe('@SUCCESS');
  const auth = 'ann:secret';
  const delta = await server.request('GET', '/api/2/subscriptions/ann/legacy.json?since=1', { auth });
  expect(await delta.json()).toMatchObject({ add: [B], remove: [A] });
  const list = await server.request('GET', '/getlist?username=ann%40example.org&password=secret');
  expect(list.headers.get('content-type')).toBe('text/x-opml+xml; charset=utf-8');
  expect(await list.text()).toContain(`xmlUrl="${B}"`);
});

it('accepts the largest OPML, but no larger form', async () => {
  const server = await openTestServer({ maxBody: 16 * 1024 * 1024 });
  const filled = (length: number): string => opml(A).replace('<body>', `<body>${' '.repeat(length)}`);
  expect(await upload(server, RIGHT, filled(2_900_000))).toBe('@SUCCESS');
  expect(await upload(server, { ...RIGHT, other: ' '.repeat(4 * 1024 * 1024) }, opml(A))).toBe('@PROTOERROR');
});

it('accepts a URL-encoded form', async () => {
  const server = await openTestServer();
  const body = new URLSearchParams({ ...RIGHT, opml: opml(A) });
  const answer = await server.app.request('http://localhost/upload', { method: 'POST', body });
  expect(await answer.text()).toBe('@SUCCESS');
});

it('refuses a list that is not UTF-8, instead of storing broken addresses', async () => {
  const server = await openTestServer();
  const form = new FormData();
  for (const [name, value] of Object.entries(RIGHT)) form.set(name, value);
  form.set('opml', new File([Buffer.from(opml(`${A}/caf\xe9`), 'latin1')], 'subscriptions.opml'));
  const answer = await server.app.request('http://localhost/upload', { method: 'POST', body: form });
  expect(await answer.text()).toBe('@PROTOERROR');
  const all = await server.request('GET', '/subscriptions/bob.json', { auth: 'bob:secret' });
  expect(await all.json()).toEqual([]);
});

it.each<[string, Record<string, string>, string | undefined]>([
  ['@PROTOERROR', { ...RIGHT, action: 'other' }, opml(A)],
  ['@PROTOERROR', { ...RIGHT, protocol: '1', password: 'wrong' }, opml(A)],
  ['@PROTOERROR', RIGHT, undefined],
  ['@PROTOERROR', RIGHT, '<opml><body>'],
  ['@PROTOERROR', RIGHT, opml('ftp://example.org/x')],
  ['@PROTOERROR', RIGHT, `${opml(A)}${' '.repeat(1024 * 1024)}`],
  ['@AUTHFAIL', { ...RIGHT, password: 'wrong' }, '<opml><body>'],
  ['@PROTOERROR', { action: 'update-subscriptions', protocol: '0', username: 'bob' }, opml(A)],
  ['@PROTOERROR', { action: 'update-subscriptions', protocol: '0', password: 'secret' }, opml(A)],
  ['@AUTHFAIL', { ...RIGHT, username: '', password: '' }, opml(A)],
])('answers %s to %j with %j', async (word, fields, file) => {
  const server = await openTestServer();
  expect(await upload(server, fields, file)).toBe(word);
  const all = await server.request('GET', '/subscriptions/bob.json', { auth: 'bob:secret' });
  expect(await all.json()).toEqual([]);
});

it('has a text for everything else', async () => {
  const { request } = await openTestServer();
  const says = async (method: string, path: string, body?: string): Promise<string> => {
    const answer = await request(method, path, body === undefined ? {} : { body });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  expect(await says('GET', '/upload')).toBe('@PROTOERROR');
  expect(await says('POST', '/upload', 'nonsense')).toBe('@PROTOERROR');
  expect(await says('GET', '/getlist')).toBe('@AUTHFAIL');
  expect(await says('GET', '/getlist?username=bob&password=wrong')).toBe('@AUTHFAIL');
  for (let trial = 0; trial < 12; trial++) await says('GET', '/getlist?username=bob&password=wrong');
  expect(await says('GET', '/getlist?username=bob&password=secret')).toBe('@AUTHFAIL');
});

it('returns its own list, or that of all devices until it has one', async () => {
  const server = await openTestServer();
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth: 'bob:secret', body: [A] });
  const list = async () => (await server.request('GET', '/getlist?username=bob&password=secret')).text();
  expect(await list()).toContain(`xmlUrl="${A}"`);
  await upload(server, RIGHT, opml(B));
  expect(await list()).toContain(`xmlUrl="${B}"`);
  expect(await list()).not.toContain(`xmlUrl="${A}"`);
});
