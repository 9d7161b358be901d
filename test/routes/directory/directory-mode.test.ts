import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DirectoryMode } from '../../../src/options.ts';
import { recordFeed } from '../../podcasts.ts';
import { openTestServer, type TestServer } from '../../server.ts';

const auth = 'bob:secret';
const eve = 'eve:secret';
const FEED = 'http://example.org/feed';
const MEDIA = 'http://example.org/1.mp3';
const LOGO = 'http://example.org/logo.png';
const LOGO_PATH = `/logo/64/${createHash('sha256').update(LOGO).digest('hex')}`;
const [feed, media] = [FEED, MEDIA].map(encodeURIComponent);

const LISTS = ['/toplist/9.json', '/search.json?q=show', '/api/2/tags/9.json', '/api/2/tag/news/9.json'];
const API = [...LISTS, `/api/2/data/podcast.json?url=${feed}`, `/api/2/data/episode.json?podcast=${feed}&url=${media}`];
const PAGES = [`/podcast?url=${feed}`, `/episode?podcast=${feed}&url=${media}`, '/user/bob', '/user/bob/lists/x'];

async function openFilled(directory: DirectoryMode): Promise<TestServer> {
  const server = await openTestServer({ directory });
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [FEED] });
  await server.request('POST', '/api/2/lists/bob/create.json?title=x', { auth, body: [FEED] });
  await recordFeed(server.storage, FEED, { title: 'A show', tags: ['News'], logoUrl: LOGO }, [
    { url: MEDIA, title: 'One' },
  ]);
  return server;
}

describe('a directory for members', () => {
  it.each([...API, '/toplist.opml', '/user/bob/subscriptions.opml'])('%s asks for a login', async (path) => {
    const { request } = await openFilled('members');
    const answer = await request('GET', path);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')]);
    expect(await answer.text()).not.toContain('A show');
    const member = await request('GET', path, { auth: eve });
    expect([member.status, member.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await member.text()).toMatch(/A show|News|One|example\.org/);
  });

  it.each(PAGES)('%s redirects to the login', async (path) => {
    const { request } = await openFilled('members');
    const answer = await request('GET', path);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringContaining('/login?next=')]);
    const member = await request('GET', path, { auth: eve });
    expect([member.status, member.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });
});

describe('a directory for members or nobody', () => {
  it.each([
    ['members', 200],
    ['off', 404],
  ] as const)('shows its logos only to those who may see the podcast (%s)', async (mode, others) => {
    const { request } = await openFilled(mode);
    expect((await request('GET', LOGO_PATH)).status).toBe(404);
    expect((await request('GET', LOGO_PATH, { auth: eve })).status).toBe(others);
    const own = await request('GET', LOGO_PATH, { auth });
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'private, max-age=300']);
  });

  it.each(['members', 'off'] as const)('adds nothing to a list that everybody may read (%s)', async (mode) => {
    const { request } = await openFilled(mode);
    for (const format of ['json', 'opml']) {
      const list = await (await request('GET', `/api/2/lists/bob/list/x.${format}`)).text();
      expect(list).toContain(FEED);
      expect(list).not.toContain('A show');
    }
    const member = await request('GET', '/api/2/lists/bob/list/x.json', { auth: eve });
    expect(member.headers.get('cache-control')).toBe(mode === 'members' ? 'no-store' : 'public, no-cache');
    expect((await member.text()).includes('A show')).toBe(mode === 'members');
  });
});

describe('a directory that is off', () => {
  it.each([...LISTS, '/suggestions/9.json'])('%s is empty', async (path) => {
    const { request } = await openFilled('off');
    for (const who of [auth, eve]) expect(await (await request('GET', path, { auth: who })).json()).toEqual([]);
  });

  it('shows podcasts and episodes only to subscribers, and no profiles', async () => {
    const { request } = await openFilled('off');
    for (const path of [...API.slice(LISTS.length), ...PAGES.slice(0, 2)]) {
      expect((await request('GET', path)).status).toBe(404);
      expect((await request('GET', path, { auth: eve })).status).toBe(404);
      expect((await request('GET', path, { auth })).status).toBe(200);
    }
    for (const path of ['/user/bob', '/user/bob/subscriptions.opml']) {
      expect((await request('GET', path)).status).toBe(404);
    }
    const list = await (await request('GET', '/user/bob/lists/x')).text();
    expect(list).toContain(`<a href="${FEED}" rel="nofollow noopener">`);
    expect(list).not.toContain('A show');
  });
});
