import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openTestServer, type RequestOptions, TARGETS } from '../../server.ts';

const auth = 'bob:secret';
const DEVICE = '/api/2/devices/bob/phone.json';
const LIST = '/subscriptions/bob/phone';
const CHANGES = '/api/2/subscriptions/bob/phone.json';
const GROUPS = '/api/2/sync-devices/bob.json';
const urls = Array.from({ length: 100 }, (_, at) => `http://example.org/${at}`);

describe.each(TARGETS)('what holds for every route (%s)', (target) => {
  it.each<[what: string, status: number, method: string, path: string, options: RequestOptions]>([
    ['an unknown address', 404, 'GET', '/nothing', {}],
    ['an address without a format', 404, 'GET', '/subscriptions/bob/phone', { auth }],
    ['a format that the address does not have', 400, 'GET', '/subscriptions/bob/phone.xml', { auth }],
    ['a format in capitals', 400, 'GET', '/subscriptions/bob/phone.JSON', { auth }],
    ['a format that only other addresses have', 400, 'GET', '/api/2/devices/bob.txt', { auth }],
    ['an upload as JSONP', 400, 'PUT', `${LIST}.jsonp`, { auth, body: '[]' }],
    ['a method that the address does not have', 405, 'DELETE', `${LIST}.json`, { auth }],
    ['a GET where only POST has a meaning', 405, 'GET', '/api/2/auth/bob/login.json', { auth }],
    ['duplicate slashes', 200, 'GET', '//api//2/devices///bob.json', { auth }],
    ['a slash at the end', 200, 'GET', '/api/2/devices/bob.json/', { auth }],
    ['a user name with an escaped letter', 200, 'GET', '/api/2/devices/b%6fb.json', { auth }],
    ['a user name with an escaped percent sign', 403, 'GET', '/api/2/devices/b%256fb.json', { auth }],
    ['an address that is not UTF-8', 400, 'GET', '/api/2/devices/%ff.json', { auth }],
    ['a slash in a device id', 400, 'POST', '/api/2/devices/bob/a%2Fb.json', { auth, body: '{}' }],
    ['a control character in a device id', 400, 'POST', '/api/2/devices/bob/%00.json', { auth, body: '{}' }],
    ['a device id that is too long', 400, 'POST', `/api/2/devices/bob/${'x'.repeat(256)}.json`, { auth, body: '{}' }],
    ['invalid JSON', 400, 'POST', DEVICE, { auth, body: '{' }],
    ['an array instead of an object', 400, 'POST', DEVICE, { auth, body: '[]' }],
    ['null instead of an object', 400, 'POST', DEVICE, { auth, body: 'null' }],
    ['a string instead of an object', 400, 'POST', DEVICE, { auth, body: '"phone"' }],
    ['no body, for a device', 200, 'POST', DEVICE, { auth, body: '' }],
    ['no body, for a device of version 1', 200, 'POST', '/api/1/devices/bob/phone.json', { auth, body: '' }],
    ['no body, for subscriptions', 400, 'POST', CHANGES, { auth, body: '' }],
    [
      'a blank body, for subscriptions of version 1',
      400,
      'POST',
      '/api/1/subscriptions/bob/phone.json',
      { auth, body: ' \n' },
    ],
    ['no body, for settings', 400, 'POST', '/api/2/settings/bob/account.json', { auth, body: '' }],
    ['no body, for groups of devices', 400, 'POST', GROUPS, { auth, body: '' }],
    ['no body, for episode actions', 400, 'POST', '/api/2/episodes/bob.json', { auth, body: '' }],
    ['empty lists as Lua sends them', 200, 'POST', CHANGES, { auth, body: { add: {}, remove: null } }],
    ['an object instead of a list', 400, 'POST', CHANGES, { auth, body: { add: { 1: 'http://example.org/' } } }],
    ['no groups of devices', 200, 'POST', GROUPS, { auth, body: { synchronize: null } }],
    ['groups of devices as Lua sends none', 200, 'POST', GROUPS, { auth, body: { synchronize: {} } }],
    ['a text instead of groups of devices', 400, 'POST', GROUPS, { auth, body: { synchronize: 'phone' } }],
    ['a body that is not UTF-8', 400, 'POST', DEVICE, { auth, body: Uint8Array.of(0x7b, 0xff, 0x7d) }],
    ['a byte order mark', 200, 'POST', DEVICE, { auth, body: '\ufeff{"caption":"x"}' }],
    ['a body as large as allowed', 200, 'POST', DEVICE, { auth, body: '{}'.padEnd(1024 * 1024) }],
    ['a body that is too large', 413, 'POST', DEVICE, { auth, body: `{"caption":"${'x'.repeat(1024 * 1024)}"}` }],
    ['a body that is nested too deeply', 400, 'POST', DEVICE, { auth, body: '['.repeat(100_000) }],
    [
      'a compressed body',
      200,
      'POST',
      DEVICE,
      { auth, body: gzipSync('{"caption":"x"}'), headers: { 'content-encoding': 'gzip' } },
    ],
    [
      'a compression in capitals',
      200,
      'POST',
      DEVICE,
      { auth, body: gzipSync('{}'), headers: { 'content-encoding': 'GZIP' } },
    ],
    ['no compression, stated', 200, 'POST', DEVICE, { auth, body: '{}', headers: { 'content-encoding': 'identity' } }],
    [
      'a compressed body that is too large',
      413,
      'POST',
      DEVICE,
      { auth, body: gzipSync('x'.repeat(1024 * 1024 + 1)), headers: { 'content-encoding': 'gzip' } },
    ],
    [
      'a body that is not compressed as stated',
      400,
      'POST',
      DEVICE,
      { auth, body: '{}', headers: { 'content-encoding': 'gzip' } },
    ],
    ['a compression that is unknown', 400, 'POST', DEVICE, { auth, body: '{}', headers: { 'content-encoding': 'br' } }],
    [
      'JSON with the media type of a form',
      200,
      'POST',
      DEVICE,
      { auth, body: '{}', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['an empty "since"', 200, 'GET', '/api/2/episodes/bob.json?since=', { auth }],
    ['a negative "since"', 400, 'GET', '/api/2/episodes/bob.json?since=-1', { auth }],
    ['a "since" with a fraction', 400, 'GET', '/api/2/episodes/bob.json?since=1.5', { auth }],
    ['a "since" beyond all integers', 200, 'GET', '/api/2/episodes/bob.json?since=99999999999999999999', { auth }],
    ['the largest exact integer as "since"', 200, 'GET', '/api/2/episodes/bob.json?since=9007199254740991', { auth }],
    [
      'a podcast address that is not UTF-8',
      400,
      'GET',
      '/api/2/episodes/bob.json?podcast=http://example.org/%FF',
      { auth },
    ],
    [
      'a podcast address with an escaped character',
      200,
      'GET',
      '/api/2/settings/bob/podcast.json?podcast=http://example.org/caf%C3%A9',
      { auth },
    ],
    [
      'a podcast address in Latin-1',
      400,
      'GET',
      '/api/2/settings/bob/podcast.json?podcast=http://example.org/caf%E9',
      { auth },
    ],
    ['"aggregated" in capitals', 200, 'GET', '/api/2/episodes/bob.json?aggregated=TRUE', { auth }],
    ['an "aggregated" that is not a boolean', 400, 'GET', '/api/2/episodes/bob.json?aggregated=yes', { auth }],
  ])('answers %s with %i', async (_what, status, method, path, options) => {
    const { request } = await openTestServer({}, target);
    const answer = await request(method, path, options);
    expect(answer.status, await answer.text()).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['/api/2/devices/bob.json', { auth }, 'OK'],
    ['/api/2/devices/bob.json', {}, 'Unauthorized'],
    ['/api/2/devices/eve.json', { auth }, 'Forbidden'],
    ['/nothing', {}, 'Not Found'],
  ])('names the status of %s %j, as some apps show nothing else of an error', async (path, options, name) => {
    const { request } = await openTestServer({}, target);
    expect((await request('GET', path, options)).statusText).toBe(name);
  });

  it('lists the methods of an address', async () => {
    const { request } = await openTestServer({}, target);
    const answer = await request('DELETE', DEVICE, { auth });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST, PUT, OPTIONS');
  });

  it('answers a preflight without credentials', async () => {
    const { request } = await openTestServer({}, target);
    const answer = await request('OPTIONS', DEVICE);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    expect(answer.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(answer.headers.get('access-control-allow-headers')).toMatch(/\bcontent-type\b.*\bcontent-encoding\b/);
  });

  it('answers HEAD like GET, without a body', async () => {
    const { request } = await openTestServer({}, target);
    const answer = await request('HEAD', '/api/2/devices/bob.json', { auth });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.text()).toBe('');
  });

  it.each([
    [`${LIST}.txt`, 404, 'there is no device with this id\n'],
    ['/nothing.txt', 404, 'there is nothing at this address\n'],
    [`${LIST}.opml`, 404, 'there is no device with this id\n'],
    [`${LIST}.xml`, 400, 'this address is available only as json, jsonp, txt, opml\n'],
    ['/api/2/devices/bob.txt', 400, 'this address is available only as json\n'],
  ])('returns errors as plain text for %s', async (path, status, message) => {
    const { request } = await openTestServer({}, target);
    const answer = await request('GET', path, { auth });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toBe(message);
  });

  it('returns errors as JSON elsewhere', async () => {
    const { request } = await openTestServer({}, target);
    const answer = await request('GET', `${LIST}.json`, { auth });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({ code: 404, message: 'there is no device with this id' });
  });

  it('compresses long responses on request', async () => {
    const { app, request } = await openTestServer();
    await request('PUT', `${LIST}.json`, { auth, body: urls });
    const get = (accepted: string): Promise<Response> =>
      Promise.resolve(
        app.request(`http://localhost${LIST}.json`, {
          headers: { authorization: `Basic ${btoa(auth)}`, 'accept-encoding': accepted },
        }),
      );
    const bytes = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

    const brotli = await get('gzip, br');
    expect(brotli.headers.get('content-encoding')).toBe('br');
    expect(brotli.headers.get('vary')).toBe('accept-encoding');
    expect(JSON.parse(brotliDecompressSync(await bytes(brotli)).toString())).toEqual(urls);
    const gzip = await get('br; q=0, GZIP;q=0.5');
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    expect(JSON.parse(gunzipSync(await bytes(gzip)).toString())).toEqual(urls);
    expect((await get('*')).headers.get('content-encoding')).toBe('br');
    const plain = await get('identity');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.json()).toEqual(urls);
  });

  it('measures the length of a response in bytes', async () => {
    const { request } = await openTestServer({}, target);
    const answer = async (caption: string): Promise<Response> => {
      await request('POST', DEVICE, { auth, body: { caption } });
      return request('GET', '/api/2/devices/bob.json', { auth, headers: { 'accept-encoding': 'gzip' } });
    };
    expect((await answer('a'.repeat(255))).headers.get('content-encoding')).toBeNull();
    await request('POST', '/api/2/devices/bob/tablet.json', { auth, body: { caption: '音'.repeat(255) } });
    expect((await answer('音'.repeat(255))).headers.get('content-encoding')).toBe('gzip');
  });

  it('sends Vary with 304, too', async () => {
    const { request } = await openTestServer({}, target);
    await request('PUT', `${LIST}.json`, { auth, body: urls });
    const first = await request('GET', '/toplist/100.txt');
    const again = await request('GET', '/toplist/100.txt', {
      headers: { 'if-none-match': first.headers.get('etag')! },
    });
    expect([again.status, again.headers.get('vary')]).toEqual([304, 'accept-encoding']);
  });
});

it('works below a sub-path, whether or not a proxy strips it', async () => {
  const { request } = await openTestServer({ baseUrl: 'https://sync.example/podcasts' });
  for (const path of [
    '/podcasts/api/2/devices/bob.json',
    '/podcasts//api/2/devices/bob.json',
    '/api/2/devices/bob.json',
  ]) {
    const answer = await request('GET', path, { auth });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(/; Path=\/podcasts; .*; Secure$/);
  }
});

it('strips a sub-path only as whole segments', async () => {
  const { request } = await openTestServer({ baseUrl: 'https://sync.example/sub' });
  for (const path of ['/subscriptions/bob.json', '/sub/subscriptions/bob.json']) {
    expect((await request('GET', path, { auth })).status).toBe(200);
  }
});

it('accepts X-Forwarded-Proto only from a trusted proxy', async () => {
  const headers = { 'x-forwarded-proto': 'HTTPS' };
  const isSecure = async (trustProxy: boolean): Promise<boolean> => {
    const { request } = await openTestServer({ trustProxy });
    const answer = await request('GET', '/api/2/devices/bob.json', { auth, headers });
    return answer.headers.get('set-cookie')!.endsWith('; Secure');
  };
  expect(await isSecure(true)).toBe(true);
  expect(await isSecure(false)).toBe(false);
});
