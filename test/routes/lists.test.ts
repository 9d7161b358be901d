import { describe, expect, it, vi } from 'vitest';
import { openTestServer, type RequestOptions, TARGETS, type TestServer } from '../server.ts';

const auth = 'bob:secret';
const A = 'http://example.org/a';
const B = 'http://example.org/?a=1&b=2';
const LISTS = '/api/2/lists/bob.json';
const CREATE = '/api/2/lists/bob/create';
const LIST = '/api/2/lists/bob/list/my-list';

const opml = `<opml version="2.0"><body><outline xmlUrl="${A}"/><outline xmlUrl="http://example.org/?a=1&amp;b=2"/></body></opml>`;

/** Creates the list "My list" with these podcasts. */
async function make({ request }: TestServer, urls: string[] = [A, B]): Promise<Response> {
  const answer = await request('POST', `${CREATE}.json?title=My%20list`, { auth, body: urls });
  expect([answer.status, await answer.text()]).toEqual([303, '']);
  return answer;
}

const readUrls = async ({ request }: TestServer): Promise<string> => (await request('GET', `${LIST}.txt`)).text();

describe.each(TARGETS)('podcast lists (%s)', (target) => {
  it.each<[string, unknown]>([
    ['json', [A, B]],
    ['json', [{ url: A }, { feed: B }]],
    ['json', [A, ` ${A} `, B, 'ftp://example.org/x']],
    ['txt', `${A}\n${B}\n`],
    ['opml', opml],
  ])('are created from %s %j, and found at Location', async (format, body) => {
    const server = await openTestServer({ baseUrl: 'http://localhost/sub' }, target);
    const answer = await server.request('POST', `${CREATE}.${format}?title=My%20list`, { auth, body });
    expect([answer.status, await answer.text()]).toEqual([303, '']);
    expect(answer.headers.get('location')).toBe(`http://localhost/sub${LIST}.${format}`);
    const path = answer.headers.get('location')!.slice('http://localhost'.length);
    expect((await server.request('GET', path)).status).toBe(200);
    expect(await readUrls(server)).toBe(`${A}\n${B}\n`);
  });

  it('are available to anyone in the formats of the interface', async () => {
    const server = await openTestServer({}, target);
    await make(server);
    const read = async (format: string): Promise<[string | null, string]> => {
      const answer = await server.request('GET', `${LIST}.${format}`);
      expect(answer.status).toBe(200);
      return [answer.headers.get('content-type'), await answer.text()];
    };
    const [type, json] = await read('json');
    expect(type).toBe('application/json');
    expect(JSON.parse(json).map(({ url }: { url: string }) => url)).toEqual([A, B]);
    expect(await read('jsonp?jsonp=app.take')).toEqual(['application/javascript', `app.take(${json});`]);
    expect(await read('txt')).toEqual(['text/plain; charset=utf-8', `${A}\n${B}\n`]);
    const [opmlType, text] = await read('opml');
    expect(opmlType).toBe('text/x-opml+xml; charset=utf-8');
    expect(text).toContain('<title>My list</title>');
    expect(text).toContain('xmlUrl="http://example.org/?a=1&amp;b=2"');
  });

  it.each<[string, string, RequestOptions, number]>([
    ['GET', '/api/2/lists/nobody.json', {}, 404],
    ['GET', '/api/2/lists/eve.json', { auth }, 404],
    ['GET', '/api/2/lists/eve.json', { auth: 'eve:secret' }, 200],
    ['GET', '/api/2/lists/nobody/list/my-list.json', {}, 404],
    ['GET', '/api/2/lists/bob/list/other.json', {}, 404],
    ['GET', '/api/2/lists/eve/list/my-list.json', {}, 404],
    ['GET', `${LIST}.xml`, {}, 400],
    ['GET', `${LIST}.jsonp`, {}, 400],
    ['GET', `${LIST}.jsonp?jsonp=alert(1)`, {}, 400],
    ['GET', `${CREATE}.json`, { auth }, 405],
    ['POST', `${CREATE}.json?title=x`, { body: [A] }, 401],
    ['POST', `${CREATE}.json?title=x`, { auth: 'eve:secret', body: [A] }, 403],
    ['POST', '/api/2/lists/nobody/create.json?title=x', { auth, body: [A] }, 403],
    ['POST', `${CREATE}.json`, { auth, body: [A] }, 400],
    ['POST', `${CREATE}.json?title=`, { auth, body: [A] }, 400],
    ['POST', `${CREATE}.json?title=!%20_-`, { auth, body: [A] }, 400],
    ['POST', `${CREATE}.json?title=${'x'.repeat(256)}`, { auth, body: [A] }, 400],
    ['POST', `${CREATE}.json?title=${encodeURIComponent('\ufdfa'.repeat(20))}`, { auth, body: [A] }, 400],
    ['POST', `${CREATE}.json?title=my_LIST!`, { auth, body: [A] }, 409],
    ['POST', `${CREATE}.json?title=x`, { auth, body: '' }, 400],
    ['POST', `${CREATE}.json?title=x`, { auth, body: '{}' }, 400],
    ['POST', `${CREATE}.json?title=x`, { auth, body: ['ftp://example.org/x'] }, 400],
    ['POST', `${CREATE}.opml?title=x`, { auth, body: '<opml>' }, 400],
    ['POST', `${CREATE}.xml?title=x`, { auth, body: '<opml/>' }, 400],
    ['PUT', `${LIST}.json`, { body: [] }, 401],
    ['PUT', `${LIST}.json`, { auth: 'eve:secret', body: [] }, 403],
    ['PUT', '/api/2/lists/nobody/list/my-list.json', { auth, body: [] }, 403],
    ['PUT', '/api/2/lists/bob/list/other.json', { auth, body: [] }, 404],
    ['PUT', `${LIST}.json`, { auth, body: '{}' }, 400],
    ['PUT', `${LIST}.txt`, { auth, body: 'not a url' }, 400],
    ['DELETE', `${LIST}.json`, {}, 401],
    ['DELETE', `${LIST}.json`, { auth: 'eve:secret' }, 403],
    ['DELETE', '/api/2/lists/bob/list/other.json', { auth }, 404],
  ])('%s %s %j is %d, and the lists stay', async (method, path, options, status) => {
    const server = await openTestServer({}, target);
    await make(server);
    expect((await server.request(method, path, options)).status).toBe(status);
    expect(await readUrls(server)).toBe(`${A}\n${B}\n`);
    expect(await (await server.request('GET', LISTS)).json()).toHaveLength(1);
  });

  it('are replaced and deleted without a response body', async () => {
    const server = await openTestServer({}, target);
    await make(server);
    const replaced = await server.request('PUT', `${LIST}.txt`, { auth, body: `${B}\n` });
    expect([replaced.status, await replaced.text()]).toEqual([204, '']);
    expect(await readUrls(server)).toBe(`${B}\n`);
    expect((await server.request('PUT', `${LIST}.json`, { auth, body: [] })).status).toBe(204);
    expect(await readUrls(server)).toBe('');
    const deleted = await server.request('DELETE', `${LIST}.opml`, { auth });
    expect([deleted.status, await deleted.text()]).toEqual([204, '']);
    expect((await server.request('GET', `${LIST}.json`)).status).toBe(404);
    expect((await server.request('DELETE', `${LIST}.opml`, { auth })).status).toBe(404);
    await make(server);
  });
});

describe('podcast lists', () => {
  it('are listed in the order created, whatever happens to them later', async () => {
    const server = await openTestServer({ baseUrl: 'https://sync.example/sub' });
    const summaries = async (): Promise<unknown> => (await server.request('GET', LISTS)).json();
    expect(await (await server.request('GET', LISTS, { auth })).json()).toEqual([]);
    for (const title of ['Über <Gott> & die Welt', 'Zwei', 'Подкасты']) {
      const path = `${CREATE}.json?title=${encodeURIComponent(title)}`;
      expect((await server.request('POST', path, { auth, body: [A] })).status).toBe(303);
    }
    await server.request('PUT', '/api/2/lists/bob/list/uber-gott-die-welt.json', { auth, body: [B] });
    await server.request('DELETE', '/api/2/lists/bob/list/zwei.json', { auth });
    const page = 'https://sync.example/sub/user/bob/lists/';
    const cyrillic = encodeURIComponent('подкасты');
    expect(await summaries()).toEqual([
      { title: 'Über <Gott> & die Welt', name: 'uber-gott-die-welt', web: `${page}uber-gott-die-welt` },
      { title: 'Подкасты', name: 'подкасты', web: `${page}${cyrillic}` },
    ]);
    expect((await server.request('GET', `/api/2/lists/bob/list/${cyrillic}.json`)).status).toBe(200);
    const eve = await server.request('GET', '/api/2/lists/eve.json', { auth: 'eve:secret' });
    expect(await eve.json()).toEqual([]);
  });

  it('may be named like any property of an object', async () => {
    const { request } = await openTestServer();
    for (const title of ['constructor', '__proto__', 'create', 'list']) {
      expect((await request('POST', `${CREATE}.json?title=${title}`, { auth, body: [A] })).status).toBe(303);
    }
    expect((await request('GET', '/api/2/lists/bob/list/constructor.txt')).status).toBe(200);
    expect((await request('GET', '/api/2/lists/bob/list/proto.txt')).status).toBe(200);
    expect((await request('GET', '/api/2/lists/bob/list/__proto__.txt')).status).toBe(404);
  });

  it('have podcast objects with every key', async () => {
    const server = await openTestServer();
    await make(server, [B]);
    const page = `http://localhost/podcast?url=${encodeURIComponent(B)}`;
    expect(await (await server.request('GET', `${LIST}.json`)).json()).toEqual([
      {
        url: B,
        title: B,
        author: '',
        description: '',
        subscribers: 0,
        subscribers_last_week: 0,
        logo_url: null,
        website: '',
        svc_link: page,
        mygpo_link: page,
      },
    ]);
  });

  it('hold up to 1,000 feeds', async () => {
    const server = await openTestServer();
    const urls = Array.from({ length: 1001 }, (_, at) => `http://example.org/${at}`);
    const most = urls.slice(1);
    await make(server, [...most, most[0]!]);
    const send = async (method: string, path: string, body: unknown): Promise<unknown> => {
      const answer = await server.request(method, path, { auth, body });
      return [answer.status, ((await answer.json()) as { message: string }).message];
    };
    const refused = [400, 'a podcast list may contain up to 1000 feeds; put the rest into another list'];
    expect(await send('POST', `${CREATE}.json?title=Longer`, urls)).toEqual(refused);
    expect(await send('PUT', `${LIST}.json`, urls)).toEqual(refused);
    expect((await readUrls(server)).split('\n').slice(0, -1)).toEqual(most);
    expect(await (await server.request('GET', LISTS)).json()).toHaveLength(1);
  });

  it('are limited to 1,000 for one account', async () => {
    const server = await openTestServer();
    const { id } = (await server.storage.users.find('bob'))!;
    const summaries = Array.from({ length: 1000 }, (_, at) => ({ name: `${at}`, title: `${at}` }));
    vi.spyOn(server.storage.lists, 'all').mockImplementation(async (user) => (user === id ? summaries : []));
    const create = (login: string): Promise<Response> =>
      server.request('POST', `/api/2/lists/${login}/create.json?title=x`, { auth: `${login}:secret`, body: [A] });
    const answer = await create('bob');
    expect([answer.status, await answer.json()]).toEqual([
      409,
      { code: 409, message: 'an account may have up to 1000 podcast lists; delete one first' },
    ]);
    expect((await create('eve')).status).toBe(303);
  });

  it('are created once by many requests for one name', async () => {
    const { request } = await openTestServer();
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((at) =>
        request('POST', `${CREATE}.txt?title=Same${'!'.repeat(at)}`, { auth, body: `${A}${at}` }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409, 409, 409, 409]);
  });

  it('are found by e-mail address only by its owner', async () => {
    const { services, request } = await openTestServer();
    await services.accounts.create({ name: 'ann', email: 'ann@example.org', password: 'secret' });
    const own = { auth: 'ann@example.org:secret' };
    const create = await request('POST', '/api/2/lists/ann@example.org/create.json?title=x', { ...own, body: [A] });
    expect(create.headers.get('location')).toBe('http://localhost/api/2/lists/ann/list/x.json');
    for (const [path, options, status] of [
      ['/api/2/lists/ann.json', {}, 200],
      ['/api/2/lists/ANN/list/x.json', {}, 200],
      ['/api/2/lists/ann%40example.org.json', own, 200],
      ['/api/2/lists/ann%40example.org.json', {}, 401],
      ['/api/2/lists/ann%40example.org.json', { auth }, 403],
      ['/api/2/lists/nobody%40example.org.json', { auth }, 403],
    ] as const) {
      expect((await request('GET', path, options)).status).toBe(status);
    }
    const { headers } = await request('GET', '/api/2/lists/ann%40example.org.json', own);
    expect([headers.get('cache-control'), headers.get('set-cookie')]).toEqual(['no-store', expect.any(String)]);
  });
});
