import { describe, expect, it } from 'vitest';
import { auth, B, PODCAST_B, openFilled, read } from './samples.ts';

describe('suggestions', () => {
  it('are podcasts of other users, and need a login', async () => {
    const server = await openFilled();
    expect(await read(server, '/suggestions/10.json', { auth })).toEqual([PODCAST_B]);
    expect(await read(server, '/suggestions/10.txt', { auth })).toBe(`${B}\n`);
    expect(await read(server, '/suggestions/10.opml', { auth })).toContain(`xmlUrl="${B}"`);
    expect(await read(server, '/suggestions/10.json', { auth: 'eve:secret' })).toEqual([]);
  });

  it.each([
    ['/suggestions/10.json', undefined, 401],
    ['/suggestions/10.json', 'bob:wrong', 401],
    ['/suggestions/0.json', auth, 400],
    ['/suggestions/101.json', auth, 400],
    ['/suggestions/5.xml', auth, 400],
    ['/suggestions/5.json', auth, 200],
  ])('GET %s as %s is %d', async (path, as, status) => {
    const { request } = await openFilled();
    const answer = await request('GET', path, as ? { auth: as } : {});
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});
