import { describe, expect, it } from 'vitest';
import { openTestServer, type TestServer } from '../server.ts';

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
    for (const path of [LISTS, `${LIST}.json`, `${LIST}.opml`]) {
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

  it('have another ETag once they have changed', async () => {
    const server = await openTestServer();
    await createList(server);
    const before = (await server.request('GET', `${LIST}.json`)).headers.get('etag')!;
    await server.request('PUT', `${LIST}.json`, { auth, body: ['http://example.org/b'] });
    const after = await server.request('GET', `${LIST}.json`, { headers: { 'if-none-match': before } });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before);
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
