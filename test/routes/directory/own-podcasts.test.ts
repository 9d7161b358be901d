import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { cookieOf, openTestServer, type RequestOptions, type TestServer } from '../../server.ts';

const auth = 'bob:secret';
const eve = 'eve:secret';
const FEED = 'http://example.org/feed';
const OTHER = 'http://example.org/other';
const MEDIA = 'http://example.org/1.mp3';
const TOKENISED = 'https://www.patreon.com/rss/show?auth=personal';

/** The path of a link to this server. */
const pathOf = (link: string): string => link.replace(/^http:\/\/[^/]+/, '');

const subscribe = ({ request }: TestServer, urls: string[], who = auth): Promise<Response> =>
  request('PUT', `/subscriptions/${who.split(':')[0]}/phone.json`, { auth: who, body: urls });

const act = ({ request }: TestServer, podcast: string, episode: string, who = auth): Promise<Response> =>
  request('POST', `/api/2/episodes/${who.split(':')[0]}.json`, {
    auth: who,
    body: [{ podcast, episode, action: 'download', device: 'phone' }],
  });

const setPrivate = ({ request }: TestServer): Promise<Response> =>
  request('POST', '/api/2/settings/bob/account.json', {
    auth,
    body: { set: { public_subscriptions: false }, remove: [] },
  });

const statusOf = async ({ request }: TestServer, path: string, who?: string): Promise<number> =>
  (await request('GET', path, who === undefined ? {} : { auth: who })).status;

describe('an unlisted podcast', () => {
  const PATHS = [
    '/api/2/data/podcast.json?url=*',
    '/podcast?url=*',
    '/api/2/data/episode.json?podcast=*&url=%',
    '/episode?podcast=*&url=%',
  ];
  const toPath = (path: string): string =>
    path.replace('%', encodeURIComponent(MEDIA)).replace('*', encodeURIComponent(FEED));

  it.each(PATHS)('is at %s for users who subscribe to it or have actions on it', async (given) => {
    const path = toPath(given);
    const server = await openTestServer({ users: ['bob', 'eve', 'mel'] });
    await subscribe(server, [FEED]);
    await setPrivate(server);
    await recordFeed(server.storage, FEED, { title: 'A show' }, [{ url: MEDIA, title: 'One' }]);
    const mine = await server.request('GET', path, { auth });
    expect([mine.status, mine.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect((await server.request('GET', path, { cookie: cookieOf(mine)! })).status).toBe(200);
    for (const who of [undefined, eve, 'bob:wrong']) expect(await statusOf(server, path, who)).toBe(404);
    await act(server, FEED, 'http://example.org/9.mp3', eve);
    expect(await statusOf(server, path, eve)).toBe(200);
    expect(await statusOf(server, path, 'mel:secret')).toBe(404);
  });

  it.each(['public', 'members', 'off'] as const)('shows its logo only to its account (%s)', async (directory) => {
    const server = await openTestServer({ directory });
    await subscribe(server, [FEED]);
    await setPrivate(server);
    await recordFeed(server.storage, FEED, { logoUrl: 'http://example.org/logo.png' });
    const page = await (await server.request('GET', toPath(PATHS[1]!), { auth })).text();
    const logo = pathOf(/class="logo" src="([^"]*)"/.exec(page)![1]!);
    expect(await statusOf(server, logo)).toBe(404);
    expect(await statusOf(server, logo, eve)).toBe(404);
    expect(await statusOf(server, logo, auth)).toBe(200);
  });

  it('has a logo that looks unknown to others, whatever they accept and whoever they are', async () => {
    const server = await openTestServer();
    await subscribe(server, [FEED]);
    await setPrivate(server);
    await recordFeed(server.storage, FEED, { logoUrl: 'http://example.org/logo.png' });
    const snapshotOf = async (logoUrl: string, options: RequestOptions) => {
      const digest = createHash('sha256').update(logoUrl).digest('hex');
      const answer = await server.request('GET', `/logo/64/${digest}`, options);
      const text = (await answer.text()).replaceAll(digest, 'HASH');
      return { status: answer.status, headers: [...answer.headers.keys()], text };
    };
    for (const accept of ['image/*', 'text/html']) {
      for (const who of [{}, { auth: eve }, { auth: 'bob:wrong' }, { cookie: 'stale' }]) {
        const options = { ...who, headers: { accept } };
        const hidden = await snapshotOf('http://example.org/logo.png', options);
        expect(hidden).toEqual(await snapshotOf('http://example.org/other.png', options));
        expect(hidden.status).toBe(404);
      }
    }
  });
});

it('a podcast known only from actions is in no public response, but has a page for their user', async () => {
  const server = await openTestServer();
  await act(server, FEED, MEDIA);
  for (const path of ['/toplist/9.txt', '/search.txt?q=feed', '/search.txt?q=example.org', '/api/2/tag/news/9.json']) {
    expect(await (await server.request('GET', path)).text(), path).not.toContain('example.org');
  }
  expect(await (await server.request('GET', '/suggestions/9.txt', { auth: eve })).text()).toBe('');
  for (const path of [
    `/api/2/data/podcast.json?url=${encodeURIComponent(FEED)}`,
    `/podcast?url=${encodeURIComponent(FEED)}`,
    `/episode?podcast=${encodeURIComponent(FEED)}&url=${encodeURIComponent(MEDIA)}`,
  ]) {
    expect(await statusOf(server, path), path).toBe(404);
    expect(await statusOf(server, path, eve), path).toBe(404);
    expect(await statusOf(server, path, auth), path).toBe(200);
  }
});

describe('the links of an account lead to pages that it can open', () => {
  it('from device updates', async () => {
    const server = await openTestServer();
    await subscribe(server, [FEED, TOKENISED]);
    await setPrivate(server);
    await recordFeed(server.storage, FEED, { title: 'A show' }, [{ url: MEDIA, title: 'One' }]);
    for (const podcast of [FEED, TOKENISED]) await act(server, podcast, 'http://example.org/only-acted.mp3');
    const answer = await server.request('GET', '/api/2/updates/bob/phone.json?since=0', { auth });
    const { add, updates } = (await answer.json()) as Record<'add' | 'updates', { svc_link: string }[]>;
    expect([add.length, updates.length]).toEqual([2, 3]);
    for (const { svc_link: link } of [...add, ...updates]) {
      expect(await statusOf(server, pathOf(link), auth), link).toBe(200);
      expect(await statusOf(server, pathOf(link)), link).toBe(404);
    }
  });

  it('from favorites, also of unknown episodes', async () => {
    const server = await openTestServer();
    for (const [podcast, episode] of [
      [FEED, MEDIA],
      [OTHER, 'http://example.org/2.mp3'],
    ] as const) {
      const query = `podcast=${encodeURIComponent(podcast)}&episode=${encodeURIComponent(episode)}`;
      const body = { set: { is_favorite: true }, remove: [] };
      await server.request('POST', `/api/2/settings/bob/episode.json?${query}`, { auth, body });
    }
    await subscribe(server, [OTHER], eve);
    await recordFeed(server.storage, OTHER, { title: 'A show' });
    const answer = await server.request('GET', '/api/2/favorites/bob.json', { auth });
    const favorites = (await answer.json()) as { svc_link: string }[];
    expect(favorites).toHaveLength(2);
    for (const { svc_link: link } of favorites) {
      const page = await server.request('GET', pathOf(link), { auth });
      expect(page.status, link).toBe(200);
      expect(page.headers.get('cache-control')).toBe('no-store');
      const podcastLink = /<p class="soft">(?:<bdi>)?<a href="([^"]*)"/.exec(await page.text())![1]!;
      if (podcastLink !== FEED) expect(await statusOf(server, pathOf(podcastLink))).toBe(200);
      expect(await statusOf(server, pathOf(link), eve)).toBe(404);
    }
  });

  it('but a favorite reveals nothing about an unlisted podcast of others', async () => {
    const server = await openTestServer();
    await subscribe(server, [FEED]);
    await setPrivate(server);
    await recordFeed(server.storage, FEED, { title: 'Kept private' }, [{ url: MEDIA, title: 'One' }]);
    const query = `podcast=${encodeURIComponent(FEED)}&episode=${encodeURIComponent(MEDIA)}`;
    const body = { set: { is_favorite: true }, remove: [] };
    await server.request('POST', `/api/2/settings/eve/episode.json?${query}`, { auth: eve, body });
    const favorites = await (await server.request('GET', '/api/2/favorites/eve.json', { auth: eve })).json();
    expect(favorites).toMatchObject([{ title: MEDIA, podcast_title: FEED }]);
  });
});

describe('the page of a shared list', () => {
  it('links to the feed itself if its podcast is not listed', async () => {
    const server = await openTestServer();
    await subscribe(server, [FEED], eve);
    await server.request('POST', '/api/2/lists/bob/create.json?title=x', { auth, body: [FEED, OTHER] });
    const page = await (await server.request('GET', '/user/bob/lists/x')).text();
    expect(page).toContain(`/podcast?url=${encodeURIComponent(FEED)}"`);
    expect(page).toContain(`<a href="${OTHER}" rel="nofollow noopener">${OTHER}</a>`);
  });

  it('shows addresses that look secret only to its owner', async () => {
    const server = await openTestServer();
    await server.request('POST', '/api/2/lists/bob/create.json?title=x', { auth, body: [TOKENISED, OTHER] });
    for (const path of ['/user/bob/lists/x', '/api/2/lists/bob/list/x.opml', '/api/2/lists/bob/list/x.json']) {
      for (const who of [undefined, eve, 'bob:wrong']) {
        const answer = await server.request('GET', path, who === undefined ? {} : { auth: who });
        if (answer.status === 401) continue;
        expect(await answer.text(), path).not.toContain('personal');
      }
      const mine = await server.request('GET', path, { auth });
      expect(mine.headers.get('cache-control')).toBe('no-store');
      expect(await mine.text(), path).toContain('personal');
    }
  });
});
