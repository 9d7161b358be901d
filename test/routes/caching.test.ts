import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { logIn, openTestServer, type TestServer } from '../server.ts';

const auth = 'bob:secret';
const LISTS = '/api/2/lists/bob.json';
const LIST = '/api/2/lists/bob/list/my-list';

/** Creates the public list "My list". */
async function createList({ request }: TestServer): Promise<void> {
  const path = '/api/2/lists/bob/create.json?title=My%20list';
  expect((await request('POST', path, { auth, body: ['http://example.org/a'] })).status).toBe(303);
}

describe('public responses', () => {
  it('may be cached while they are unchanged', async () => {
    const server = await openTestServer();
    await createList(server);
    for (const path of [LISTS, `${LIST}.json`, `${LIST}.opml`, '/toplist.opml']) {
      const first = await server.request('GET', path, { auth });
      const etag = first.headers.get('etag')!;
      expect(etag).toMatch(/^W\/"[^"]+"$/);
      expect(first.headers.get('cache-control')).toBe('public, no-cache');
      expect(first.headers.has('set-cookie')).toBe(false);
      for (const known of [etag, etag.slice('W/'.length), `"other", ${etag}`, '*']) {
        const again = await server.request('GET', path, { headers: { 'if-none-match': known } });
        expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
        expect(again.headers.get('cache-control')).toBe('public, no-cache');
      }
      expect((await server.request('GET', path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    }
  });

  it('may be cached if they have hundreds of kilobytes', async () => {
    const { request } = await openTestServer();
    const body = Array.from({ length: 500 }, (_, at) => `http://example.org/${at}`);
    await request('POST', '/api/2/lists/bob/create.json?title=My%20list', { auth, body });
    const first = await request('GET', `${LIST}.json`);
    expect((await first.text()).length).toBeGreaterThan(100_000);
    const again = await request('GET', `${LIST}.json`, { headers: { 'if-none-match': first.headers.get('etag')! } });
    expect(again.status).toBe(304);
  });

  it('have another ETag once they have changed', async () => {
    const server = await openTestServer();
    await createList(server);
    const before = (await server.request('GET', `${LIST}.json`)).headers.get('etag')!;
    await server.request('PUT', `${LIST}.json`, { auth, body: ['http://example.org/b'] });
    const after = await server.request('GET', `${LIST}.json`, { headers: { 'if-none-match': before } });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before);
  });

  it('are not cached if they open a session: a cache would give it to others', async () => {
    const { request } = await openTestServer();
    const body = ['http://example.org/a', 'http://example.org/b?token=hunter2'];
    await request('POST', '/api/2/lists/bob/create.json?title=My%20list', { auth, body });
    const { headers } = await request('GET', `${LIST}.json`, { auth: 'eve:secret' });
    expect([headers.has('set-cookie'), headers.get('cache-control'), headers.get('etag')]).toEqual([
      true,
      'no-store',
      null,
    ]);
  });

  it('are not cached if they are errors', async () => {
    const { request } = await openTestServer();
    const answer = await request('GET', `${LIST}.json`, { headers: { 'if-none-match': '*' } });
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual([
      404,
      'no-store',
      null,
    ]);
  });
});

describe('responses that depend on the login are not public, even if they set no cookie:', () => {
  const SECRET = 'https://feeds.example/a?token=hunter2';
  const [PODCAST, EPISODE] = [encodeURIComponent(SECRET), encodeURIComponent('https://feeds.example/1.mp3')];

  /** The status and `Cache-Control` of a response, and whether it contains a secret address. */
  async function open(options: Parameters<typeof openTestServer>[0] = {}) {
    const server = await openTestServer(options);
    await server.services.accounts.create({ name: 'ann', email: 'ann@example.org', password: 'secret' });
    const cookie = await logIn(server, 'ann');
    const post = { cookie, body: [SECRET, 'https://feeds.example/b'] };
    expect((await server.request('PUT', '/subscriptions/ann/phone.json', post)).status).toBe(200);
    expect((await server.request('POST', '/api/2/lists/ann/create.json?title=Mine', post)).status).toBe(303);
    await recordFeed(server.storage, SECRET, {}, [{ url: 'https://feeds.example/1.mp3' }]);
    const read = async (path: string, credentials = {}) => {
      const answer = await server.request('GET', path, credentials);
      expect(answer.headers.has('set-cookie')).toBe(false);
      return [answer.status, answer.headers.get('cache-control'), (await answer.text()).includes('hunter2')];
    };
    return { read, cookie };
  }

  it('a podcast and an episode that are not listed', async () => {
    const { read, cookie } = await open();
    for (const path of [
      `/api/2/data/podcast.json?url=${PODCAST}`,
      `/api/2/data/episode.json?podcast=${PODCAST}&url=${EPISODE}`,
    ]) {
      expect(await read(path), path).toEqual([404, 'no-store', false]);
      expect(await read(path, { cookie }), path).toEqual([200, 'no-store', true]);
    }
  });

  it('a list with addresses that only its owner sees, and lists under an e-mail address', async () => {
    const { read, cookie } = await open();
    expect(await read('/api/2/lists/ann/list/mine.json')).toEqual([200, 'public, no-cache', false]);
    expect(await read('/api/2/lists/ann/list/mine.json', { cookie })).toEqual([200, 'no-store', true]);
    expect(await read('/api/2/lists/ann%40example.org.json', { cookie })).toEqual([200, 'no-store', false]);
  });

  it('a directory for members', async () => {
    const { read, cookie } = await open({ directory: 'members' });
    for (const path of ['/toplist/10.json', '/search.json?q=b', '/api/2/tags/5.json']) {
      expect(await read(path, { cookie }), path).toEqual([200, 'no-store', false]);
    }
    expect(await read('/api/2/lists/ann/list/mine.json')).toEqual([200, 'no-store', false]);
  });
});
