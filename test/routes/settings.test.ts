import { describe, expect, it } from 'vitest';
import { logIn, ok, openTestServer, type RequestOptions, TARGETS } from '../server.ts';

const auth = 'bob:secret';
const ACCOUNT = '/api/2/settings/bob/account.json';
const FEED = encodeURIComponent('http://example.org/feed');
const MEDIA = encodeURIComponent('http://example.org/1.mp3');
const DEVICE = '/api/2/settings/bob/device.json?device=phone';
const PODCAST = `/api/2/settings/bob/podcast.json?podcast=${FEED}`;
const EPISODE = `/api/2/settings/bob/episode.json?podcast=${FEED}&episode=${MEDIA}`;
const SCOPES = [ACCOUNT, DEVICE, PODCAST, EPISODE];

/** `count` keys with small values. */
const many = (count: number, prefix = 'key'): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, at]));
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe.each(TARGETS)('settings (%s)', (target) => {
  it.each(SCOPES)('of %s are set, removed and returned', async (path) => {
    const server = await openTestServer({}, target);
    expect(await ok(server, 'GET', path)).toEqual({});
    expect(await ok(server, 'POST', path, { set: { a: 1, b: [null, { c: 'ä' }] } })).toEqual({
      a: 1,
      b: [null, { c: 'ä' }],
    });
    expect(await ok(server, 'POST', path, { set: { a: '2', d: false }, remove: ['b', 'd', 'never there'] })).toEqual({
      a: '2',
    });
    expect(await ok(server, 'POST', path, {})).toEqual({ a: '2' });
    expect(await ok(server, 'GET', path)).toEqual({ a: '2' });
    for (const other of SCOPES.filter((each) => each !== path)) expect(await ok(server, 'GET', other)).toEqual({});
    expect(await ok(server, 'POST', path, { remove: ['a'] })).toEqual({});
  });

  it.each<[string, string, RequestOptions, number]>([
    ['GET', ACCOUNT, {}, 401],
    ['POST', ACCOUNT, { body: {} }, 401],
    ['GET', '/api/2/settings/eve/account.json', { auth }, 403],
    ['POST', '/api/2/settings/eve/account.json', { auth, body: {} }, 403],
    ['GET', '/api/2/settings/bob/user.json', { auth }, 400],
    ['GET', '/api/2/settings/bob/constructor.json', { auth }, 400],
    ['GET', '/api/2/settings/bob/account.txt', { auth }, 400],
    ['GET', '/api/2/settings/bob/device.json', { auth }, 400],
    ['GET', '/api/2/settings/bob/device.json?device=', { auth }, 400],
    ['GET', '/api/2/settings/bob/device.json?device=a/b', { auth }, 400],
    ['GET', '/api/2/settings/bob/podcast.json', { auth }, 400],
    ['GET', '/api/2/settings/bob/podcast.json?podcast=ftp://example.org/x', { auth }, 400],
    ['GET', `/api/2/settings/bob/episode.json?podcast=${FEED}`, { auth }, 400],
    ['GET', `/api/2/settings/bob/episode.json?episode=${MEDIA}`, { auth }, 400],
    ['GET', `/api/2/settings/bob/episode.json?podcast=${FEED}&episode=x`, { auth }, 400],
    ['POST', '/api/2/settings/bob/podcast.json', { auth, body: { set: { a: 1 } } }, 400],
    ['POST', ACCOUNT, { auth, body: '[]' }, 400],
    ['POST', ACCOUNT, { auth, body: { set: [] } }, 400],
    ['POST', ACCOUNT, { auth, body: { set: null } }, 400],
    ['POST', ACCOUNT, { auth, body: { set: 'a' } }, 400],
    ['POST', ACCOUNT, { auth, body: { set: { a: 1 }, remove: 'a' } }, 400],
    ['POST', ACCOUNT, { auth, body: { set: { a: 1 }, remove: null } }, 400],
    ['POST', ACCOUNT, { auth, body: { set: { a: 1 }, remove: ['b', 1] } }, 400],
    ['DELETE', ACCOUNT, { auth }, 405],
  ])('%s %s %j is %d', async (method, path, options, status) => {
    const server = await openTestServer({}, target);
    await ok(server, 'POST', ACCOUNT, { set: { kept: true } });
    expect((await server.request(method, path, options)).status).toBe(status);
    expect(await ok(server, 'GET', ACCOUNT)).toEqual({ kept: true });
  });
});

describe('settings', () => {
  it('of another user and of an unknown one get the same response', async () => {
    const { request } = await openTestServer();
    const [eve, nobody] = await Promise.all(
      ['eve', 'nobody'].map(async (name) => {
        const answer = await request('GET', `/api/2/settings/${name}/account.json`, { auth });
        return [answer.status, await answer.text()];
      }),
    );
    expect(eve).toEqual([403, expect.stringContaining('another user')]);
    expect(nobody).toEqual(eve);
  });

  it.each([
    ['device.json', 'device'],
    ['podcast.json', 'podcast'],
    [`episode.json?podcast=${FEED}`, 'episode'],
  ])('of %s are refused without "%s" in the query', async (path, parameter) => {
    const { request } = await openTestServer();
    const answer = await request('GET', `/api/2/settings/bob/${path}`, { auth });
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining(`"${parameter}" in the query`) });
  });

  it('are found by any form of the URL of a podcast or an episode', async () => {
    const server = await openTestServer();
    await ok(server, 'POST', PODCAST, { set: { a: 1 } });
    await ok(server, 'POST', EPISODE, { set: { b: 2 } });
    const feed = encodeURIComponent(' HTTP://user:pass@EXAMPLE.org:80/feed#x');
    expect(await ok(server, 'GET', `/api/2/settings/bob/podcast.json?podcast=${feed}`)).toEqual({ a: 1 });
    const media = encodeURIComponent('http://EXAMPLE.org/1.mp3');
    expect(await ok(server, 'GET', `/api/2/settings/bob/episode.json?podcast=${feed}&episode=${media}`)).toEqual({
      b: 2,
    });
    const written = `/api/2/settings/bob/episode.json?podcast=${FEED}&episode=`;
    await ok(server, 'POST', `${written}${encodeURIComponent('http://example.org/ä.mp3')}`, { set: { c: 3 } });
    expect(await ok(server, 'GET', `${written}${encodeURIComponent('http://example.org/%C3%A4.mp3')}`)).toEqual({
      c: 3,
    });
  });

  it('create no device and no subscription', async () => {
    const server = await openTestServer();
    for (const path of SCOPES) await ok(server, 'POST', path, { set: { a: 1 } });
    expect(await ok(server, 'GET', '/api/2/devices/bob.json')).toEqual([]);
    expect(await ok(server, 'GET', '/subscriptions/bob.json')).toEqual([]);
  });

  it('may have keys like __proto__', async () => {
    const server = await openTestServer();
    const body = '{"set":{"__proto__":{"__proto__":1},"constructor":2,"toString":null,"hasOwnProperty":"x"}}';
    const read = async (): Promise<string> => (await server.request('GET', ACCOUNT, { auth })).text();
    const answer = await server.request('POST', ACCOUNT, { auth, body });
    expect(await answer.text()).toBe(body.slice('{"set":'.length, -1));
    expect(await read()).toBe(body.slice('{"set":'.length, -1));
    await ok(server, 'POST', '/api/2/settings/bob/device.json?device=__proto__', { set: { a: 1 } });
    expect(await ok(server, 'GET', DEVICE)).toEqual({});
    await ok(server, 'POST', ACCOUNT, { remove: ['__proto__', 'constructor', 'toString'] });
    expect(await read()).toBe('{"hasOwnProperty":"x"}');
  });

  it('are all stored if many are changed at once', async () => {
    const server = await openTestServer();
    await ok(server, 'POST', ACCOUNT, { set: many(50, 'old') });
    const cookie = await logIn(server); // so many passwords at once would look like guessing
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const body = { set: { [`new${at}`]: at }, remove: [`old${at}`] };
        return server.request('POST', ACCOUNT, { cookie, body });
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(await ok(server, 'GET', ACCOUNT)).toEqual(many(50, 'new'));
  });

  it.each<[string, object]>([
    ['a key of 255 characters', { ['😀'.repeat(255)]: 1 }],
    ['a value of 65,536 bytes', { a: 'ä'.repeat(32_767) }],
    ['a value 100 deep', { a: nested(100) }],
    ['1,000 keys', many(1000)],
  ])('may have %s', async (_what, set) => {
    const server = await openTestServer();
    expect(await ok(server, 'POST', PODCAST, { set })).toEqual(set);
    expect(await ok(server, 'GET', PODCAST)).toEqual(set);
  });

  it.each<[string, object]>([
    ['an empty key', { '': 1 }],
    ['a key of 256 characters', { ['x'.repeat(256)]: 1 }],
    ['half a character as a key', { '\ud83d': 1 }],
    ['a value of 65,537 bytes', { a: `x${'ä'.repeat(32_767)}` }],
    ['a value 101 deep', { a: nested(101) }],
    ['a value many thousands deep', { a: '@' }],
    ['1,001 keys', many(1001)],
  ])('may not have %s, and then nothing changes', async (_what, set) => {
    const server = await openTestServer();
    await ok(server, 'POST', PODCAST, { set: { kept: true } });
    const body = JSON.stringify({ set: { fine: 1, ...set }, remove: ['kept'] });
    const deep = body.replace('"@"', '['.repeat(20_000) + ']'.repeat(20_000));
    const answer = await server.request('POST', PODCAST, { auth, body: deep });
    expect([answer.status, await answer.json()]).toEqual([400, { code: 400, message: expect.any(String) }]);
    expect(await ok(server, 'GET', PODCAST)).toEqual({ kept: true });
  });

  it('have a limit for the keys that remain, also for simultaneous requests', async () => {
    const server = await openTestServer();
    await ok(server, 'POST', ACCOUNT, { set: many(990) });
    const cookie = await logIn(server); // so many passwords at once would look like guessing
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        server.request('POST', ACCOUNT, { cookie, body: { set: { [`more${at}`]: 1 } } }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(10).fill(200), ...Array(10).fill(400)]);
    expect(Object.keys(await ok(server, 'GET', ACCOUNT))).toHaveLength(1000);
    expect((await server.request('POST', ACCOUNT, { auth, body: { set: { another: 1 } } })).status).toBe(400);
    await ok(server, 'POST', ACCOUNT, { set: { another: 1 }, remove: ['key0'] });
    await ok(server, 'POST', ACCOUNT, { set: { another: 2 } });
  });
});
