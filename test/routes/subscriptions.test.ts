import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { ok, openTestServer, type RequestOptions, TARGETS, type TestServer } from '../server.ts';

const auth = 'bob:secret';
const A = 'http://example.org/a';
const B = 'http://example.org/b';
const C = 'http://example.org/c';
const LIST = '/subscriptions/bob/phone';
const DELTA = '/api/2/subscriptions/bob/phone.json';

const opml = (body: string): string => `<?xml version="1.0"?><opml version="2.0"><head/><body>${body}</body></opml>`;

describe.each(TARGETS)('whole lists (%s)', (target) => {
  it.each<[string, string | unknown[], string[]]>([
    ['json', [A, B], [A, B]],
    ['json', [{ url: A }, { feed: B }, C], [A, B, C]],
    ['json', [], []],
    ['txt', `${A}\r\n\n${B}`, [A, B]],
    ['txt', '', []],
    ['opml', opml(`<outline xmlUrl="${A}"/><outline text="x"><outline type="RSS" url="${B}"/></outline>`), [A, B]],
    ['opml', opml(''), []],
    ['json', [A, A, ` ${A} `, 'ftp://example.org/x'], [A]],
  ])('a %s upload %j becomes the list', async (format, body, list) => {
    const server = await openTestServer({}, target);
    await ok(server, 'PUT', `${LIST}.json`, [C]);
    expect(await ok(server, 'PUT', `${LIST}.${format}`, body)).toBe('');
    expect((await ok(server, 'GET', `${LIST}.json`)).toSorted()).toEqual(list);
  });

  it('are available in the formats of the interface', async () => {
    const server = await openTestServer({}, target);
    await ok(server, 'PUT', `${LIST}.json`, [A, 'http://example.org/?a=1&b=2']);
    const read = async (path: string): Promise<[string | null, string]> => {
      const answer = await server.request('GET', path, { auth });
      return [answer.headers.get('content-type'), await answer.text()];
    };
    expect(await read(`${LIST}.json`)).toEqual(['application/json', `["${A}","http://example.org/?a=1&b=2"]`]);
    expect(await read(`${LIST}.txt`)).toEqual(['text/plain; charset=utf-8', `${A}\nhttp://example.org/?a=1&b=2\n`]);
    expect(await read(`${LIST}.jsonp?jsonp=app.take`)).toEqual([
      'application/javascript',
      `app.take(["${A}","http://example.org/?a=1&b=2"]);`,
    ]);
    const [type, text] = await read(`${LIST}.opml`);
    expect(type).toBe('text/x-opml+xml; charset=utf-8');
    expect(text).toContain('xmlUrl="http://example.org/?a=1&amp;b=2"');
    expect(await read('/subscriptions/bob.txt')).toEqual(await read(`${LIST}.txt`));
  });

  it.each<[string, string, RequestOptions, number]>([
    ['GET', `${LIST}.json`, { auth }, 404],
    ['GET', '/subscriptions/bob/a%2Fb.json', { auth }, 404],
    ['GET', `${LIST}.json`, {}, 401],
    ['GET', '/subscriptions/eve/phone.json', { auth }, 401],
    ['GET', '/subscriptions/bob/laptop.jsonp', { auth }, 400],
    ['GET', '/subscriptions/bob/laptop.jsonp?jsonp=alert(1)', { auth }, 400],
    ['PUT', `${LIST}.json`, { auth, body: '' }, 400],
    ['PUT', `${LIST}.json`, { auth, body: '{}' }, 400],
    ['PUT', `${LIST}.json`, { auth, body: '[1]' }, 400],
    ['PUT', `${LIST}.json`, { auth, body: ['ftp://example.org/x', ''] }, 400],
    ['PUT', `${LIST}.txt`, { auth, body: 'not a url' }, 400],
    ['PUT', `${LIST}.opml`, { auth, body: '' }, 400],
    ['PUT', `${LIST}.opml`, { auth, body: '<opml><body>' }, 400],
    ['PUT', `${LIST}.opml`, { auth, body: '<html/>' }, 400],
    ['PUT', '/subscriptions/bob/a%00b.json', { auth, body: [A] }, 400],
  ])('%s %s %j is %d, and the lists stay', async (method, path, options, status) => {
    const server = await openTestServer({}, target);
    await ok(server, 'PUT', '/subscriptions/bob/laptop.json', [C]);
    expect((await server.request(method, path, options)).status).toBe(status);
    expect(await ok(server, 'GET', '/subscriptions/bob.json')).toEqual([C]);
    expect(await ok(server, 'GET', '/api/2/devices/bob.json')).toHaveLength(1);
  });
});

describe('whole lists', () => {
  it('are accepted by POST, too', async () => {
    const server = await openTestServer();
    await ok(server, 'POST', `${LIST}.txt`, A);
    expect(await ok(server, 'GET', `${LIST}.json`)).toEqual([A]);
  });

  it('are in the order first added, with each feed once over all devices', async () => {
    const server = await openTestServer();
    await ok(server, 'PUT', `${LIST}.json`, [B, A]);
    await ok(server, 'PUT', '/subscriptions/bob/laptop.json', [C, A]);
    await ok(server, 'POST', DELTA, { add: [], remove: [B] });
    await ok(server, 'POST', DELTA, { add: [B], remove: [] });
    expect(await ok(server, 'GET', `${LIST}.json`)).toEqual([B, A]);
    expect(await ok(server, 'GET', '/subscriptions/bob.json')).toEqual([B, A, C]);
  });

  it('are refused with the reason of the first feed if none can be used', async () => {
    const server = await openTestServer();
    const refused = await server.request('PUT', `${LIST}.json`, { auth, body: ['http://:x/', 'ftp://example.org/x'] });
    expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
      400,
      expect.stringMatching(
        /^none of these feeds can be used; the first one: the host or port of the address is invalid/,
      ),
    ]);
  });

  it('contain in OPML what is known about the podcasts', async () => {
    const server = await openTestServer();
    await ok(server, 'PUT', `${LIST}.json`, [A, B]);
    await recordFeed(server.storage, A, { title: 'Äther & <Wellen>', website: 'http://example.org/' }, []);
    for (const path of [`${LIST}.opml`, '/subscriptions/bob.opml']) {
      const text = await (await server.request('GET', path, { auth })).text();
      expect(text).toContain('title="Äther &amp; &lt;Wellen&gt;"');
      expect(text).toContain(`title="${B}"`);
    }
  });

  it('create the device, with dots and spaces in its id', async () => {
    const server = await openTestServer();
    await ok(server, 'PUT', '/subscriptions/bob/my.host.lan.json', [A]);
    await ok(server, 'PUT', '/subscriptions/bob/K%C3%BCche%202.json', []);
    expect(await ok(server, 'GET', '/api/2/devices/bob.json')).toEqual([
      { id: 'my.host.lan', caption: '', type: 'other', subscriptions: 1 },
      { id: 'Küche 2', caption: '', type: 'other', subscriptions: 0 },
    ]);
  });
});

describe('deltas', () => {
  it('are returned from the mark on', async () => {
    const server = await openTestServer();
    const first = await ok(server, 'POST', DELTA, { add: [A, B], remove: [] });
    expect(first).toEqual({ timestamp: expect.any(Number), update_urls: [] });
    expect(await ok(server, 'GET', `${DELTA}?since=0`)).toMatchObject({ add: [A, B], remove: [] });
    expect(await ok(server, 'GET', DELTA)).toMatchObject({ add: [A, B], remove: [] });
    expect(await ok(server, 'GET', `${DELTA}?since=${first.timestamp}`)).toMatchObject({ add: [], remove: [] });
    await ok(server, 'POST', DELTA, { add: [C], remove: [A] });
    const later = await ok(server, 'GET', `${DELTA}?since=${first.timestamp}`);
    expect(later).toMatchObject({ add: [C], remove: [A] });
    expect(await ok(server, 'GET', `${DELTA}?since=${later.timestamp}`)).toMatchObject({ add: [], remove: [] });
    expect(await ok(server, 'GET', `${DELTA}?since=0`)).toMatchObject({ add: [B, C], remove: [] });
  });

  it('may have {} for an empty list, as apps written in Lua send it', async () => {
    const server = await openTestServer();
    await ok(server, 'POST', DELTA, { add: [A, B], remove: {} });
    await ok(server, 'POST', DELTA, { add: {}, remove: [A] });
    expect(await ok(server, 'GET', DELTA)).toMatchObject({ add: [B], remove: [] });
  });

  it('contain the last state of each feed since the mark', async () => {
    const server = await openTestServer();
    const { timestamp } = await ok(server, 'POST', DELTA, { add: [A], remove: [] });
    await ok(server, 'POST', DELTA, { add: [B], remove: [A] });
    await ok(server, 'POST', DELTA, { add: [A], remove: [B] });
    expect(await ok(server, 'GET', `${DELTA}?since=${timestamp}`)).toMatchObject({ add: [A], remove: [B] });
  });

  it('report rewritten URLs once and skip unusable ones', async () => {
    const server = await openTestServer();
    const add = [' http://EXAMPLE.org/a ', 'ftp://example.org/x', 'http://example.org/ä', ' http://EXAMPLE.org/a ', ''];
    expect(await ok(server, 'POST', DELTA, { add, remove: [] })).toMatchObject({
      update_urls: [
        [' http://EXAMPLE.org/a ', A],
        ['ftp://example.org/x', ''],
        ['http://example.org/ä', 'http://example.org/%C3%A4'],
        ['', ''],
      ],
    });
    expect(await ok(server, 'GET', `${LIST}.json`)).toEqual([A, 'http://example.org/%C3%A4']);
  });

  it('of an unknown device are empty, and do not create it', async () => {
    const server = await openTestServer();
    const answer = await ok(server, 'GET', `${DELTA}?since=0`);
    expect(answer).toEqual({ add: [], remove: [], timestamp: server.clock.now + 1 });
    expect(await ok(server, 'GET', '/api/2/devices/bob.json')).toEqual([]);
  });

  it('create the device even if they are empty', async () => {
    const server = await openTestServer();
    expect(await ok(server, 'POST', DELTA, {})).toMatchObject({ update_urls: [] });
    expect(await ok(server, 'GET', `${LIST}.json`)).toEqual([]);
  });

  it.each<[unknown]>([
    [{ add: [A], remove: [A] }],
    [{ add: [A], remove: [' HTTP://example.org:80/a#x'] }],
    [{ add: A }],
    [{ add: [A, 1] }],
    [{ remove: [null] }],
    ['[]'],
    ['nonsense'],
    [''],
  ])('%j are refused completely', async (body) => {
    const server = await openTestServer();
    expect((await server.request('POST', DELTA, { auth, body })).status).toBe(400);
    expect(await ok(server, 'GET', '/api/2/devices/bob.json')).toEqual([]);
  });
});

it('a feed with credentials can be removed after the server stopped keeping them', async () => {
  const server = await openTestServer();
  const { id } = (await server.storage.users.find('bob'))!;
  const stored = ['http://ann:pw@example.org/a', B].map((url) => ({ url, subscribed: true }));
  const mark = await server.storage.subscriptions.apply(id, 'phone', stored);
  await ok(server, 'POST', DELTA, { add: [], remove: ['http://ann:pw@EXAMPLE.org/a'] });
  expect(await ok(server, 'GET', `${LIST}.json`)).toEqual([B]);
  expect((await ok(server, 'GET', `${DELTA}?since=${mark}`)).remove).toEqual(['http://ann:pw@example.org/a']);
});

describe('a feed whose address an app has decoded', () => {
  const STORED = 'http://example.org/users/a%3ab/feed?of=%C3%B6%2F';

  it.each([
    ['AntennaPod decodes the colon', 'http://example.org/users/a:b/feed?of=%C3%B6%2F'],
    ['Kasts decodes all of it', 'http://example.org/users/a:b/feed?of=ö/'],
  ])('can be removed, on all devices: %s', async (_app, decoded) => {
    const server = await openTestServer({ syncDevices: true });
    await ok(server, 'POST', DELTA, { add: [STORED, A], remove: [] });
    const laptop = '/api/2/subscriptions/bob/laptop.json';
    await ok(server, 'POST', laptop, { add: [B], remove: [] });
    const { timestamp } = await ok(server, 'GET', laptop);
    await ok(server, 'POST', DELTA, { add: [], remove: [decoded] });
    expect(await ok(server, 'GET', `${LIST}.json`)).toEqual([A, B]);
    expect(await ok(server, 'GET', `${laptop}?since=${timestamp}`)).toMatchObject({ add: [], remove: [STORED] });
  });

  it('is removed under one address only, if the device has both', async () => {
    const server = await openTestServer();
    const decoded = decodeURIComponent(STORED).replace('ö', '%C3%B6');
    await ok(server, 'POST', DELTA, { add: [STORED, decoded], remove: [] });
    await ok(server, 'POST', DELTA, { add: [], remove: [decoded] });
    expect(await ok(server, 'GET', `${LIST}.json`)).toEqual([STORED]);
  });
});

describe('a feed that has moved from A to B', () => {
  /** Such a feed, and a device that subscribed to it under these addresses. */
  async function openWithMoved(...addresses: string[]): Promise<TestServer> {
    const server = await openTestServer({ syncDevices: true });
    await ok(server, 'POST', DELTA, { add: [...addresses, C], remove: [] });
    await ok(server, 'POST', '/api/2/subscriptions/bob/laptop.json', { add: [], remove: [] });
    await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [A] });
    await recordFeed(server.storage, A, {}, [], { movedTo: B });
    return server;
  }
  const current = (server: TestServer): Promise<string[]> => ok(server, 'GET', `${LIST}.json`);

  it('can be removed by its new address, on all devices', async () => {
    const server = await openWithMoved(A);
    const { timestamp } = await ok(server, 'GET', '/api/2/subscriptions/bob/laptop.json');
    await ok(server, 'POST', DELTA, { add: [], remove: [B] });
    expect(await current(server)).toEqual([C]);
    const changes = await ok(server, 'GET', `/api/2/subscriptions/bob/laptop.json?since=${timestamp}`);
    expect(changes).toMatchObject({ add: [], remove: [A] });
  });

  it('can be removed by its former address', async () => {
    const server = await openWithMoved(B);
    await ok(server, 'POST', DELTA, { add: [], remove: [A] });
    expect(await current(server)).toEqual([C]);
  });

  it('is removed under one address only, if the device has both', async () => {
    const server = await openWithMoved(A, B);
    await ok(server, 'POST', DELTA, { add: [], remove: [A] });
    expect((await current(server)).toSorted()).toEqual([B, C]);
    // AntennaPod sends a removal that it has received.
    await ok(server, 'POST', DELTA, { add: [], remove: [A] });
    expect((await current(server)).toSorted()).toEqual([B, C]);
  });

  it('is replaced by its new address', async () => {
    const server = await openWithMoved(A);
    await ok(server, 'POST', DELTA, { add: [B], remove: [A] });
    expect((await current(server)).toSorted()).toEqual([B, C]);
  });

  it('is kept if an app that has just followed it reports the move', async () => {
    const server = await openWithMoved(B);
    await ok(server, 'POST', DELTA, { add: [B], remove: [A] });
    expect((await current(server)).toSorted()).toEqual([B, C]);
  });
});
