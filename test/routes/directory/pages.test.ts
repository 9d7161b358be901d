import { expect, it } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { openTestServer, type TestServer } from '../../server.ts';

const auth = 'bob:secret';
const A = 'http://example.org/a';
const MEDIA = 'http://example.org/1.mp3?a=1&b="2"';
const EVIL = `<script>alert("1")</script>'&`;
const ESCAPED = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;';

const podcastPage = `/podcast?url=${encodeURIComponent(A)}`;
const episodePage = `/episode?podcast=${encodeURIComponent(A)}&url=${encodeURIComponent(MEDIA)}`;

async function openFilled(options = {}): Promise<TestServer> {
  const server = await openTestServer(options);
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [A] });
  const texts = { title: EVIL, description: EVIL };
  const podcast = {
    ...texts,
    author: EVIL,
    website: 'http://example.org/"x',
    tags: [EVIL],
    logoUrl: 'http://example.org/l',
  };
  await recordFeed(server.storage, A, podcast, [{ ...texts, url: MEDIA, website: '', releasedAt: 1_700_000_000 }]);
  return server;
}

it.each([podcastPage, episodePage])('%s shows what is known as plain text', async (path) => {
  const { request } = await openFilled();
  const answer = await request('GET', path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('public, no-cache');
  expect(answer.headers.get('set-cookie')).toBeNull();
  const text = await answer.text();
  expect(text).toContain(`<h1>${ESCAPED}</h1>`);
  expect(text).toContain(`<title>${ESCAPED} · podsync</title>`);
  expect(text).toContain(`<p class="text">${ESCAPED}</p>`);
  expect(text).not.toContain('<script>');
  expect(text).toContain('14 Nov 2023');
});

it('a shortened description ends with a whole character', async () => {
  const { request, storage } = await openFilled();
  const episode = { url: MEDIA, description: `${'x'.repeat(299)}😀` };
  await recordFeed(storage, A, {}, [episode]);
  const text = await (await request('GET', podcastPage)).text();
  expect(text).toContain(`<p class="brief">${'x'.repeat(299)}</p>`);
});

it('a page loads files and images only from this server, and media from the host of the podcast', async () => {
  const { request } = await openFilled();
  const answer = await request('GET', podcastPage);
  const policy = answer.headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'; connect-src 'self'; form-action 'self'; img-src 'self' data:;");
  expect(policy).not.toMatch(/unsafe|\*/);
  expect(policy).toContain("media-src http: https:; script-src 'self'; style-src 'self'");
  // No other website may frame a page, and no text in it may redirect its links.
  expect(policy).toContain("base-uri 'none'; frame-ancestors 'none'");
  const html = await answer.text();
  expect(html).not.toMatch(/<style|style=|<script>|onclick/);
  const files = [...html.matchAll(/"http:\/\/localhost(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const file of files) {
    const { status, headers } = await request('GET', file);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  }
  expect((await request('GET', files[0]!.replace(/-[^.]*/, '-earlier'))).status).toBe(404);
});

it.each([
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['mailto:ann@example.org', false],
  ['HTTPS://example.org/', true],
])('a podcast whose website is %s has a link to it: %j', async (website, isLinked) => {
  const { request, storage } = await openFilled();
  await recordFeed(storage, A, { website }, [{ url: MEDIA, website }]);
  for (const page of [podcastPage, episodePage]) {
    const html = await (await request('GET', page)).text();
    expect(html.includes(`<a href="${website}" rel="nofollow noopener">Website</a>`)).toBe(isLinked);
    expect(html.includes(`href="${website}"`)).toBe(isLinked);
  }
});

it('the site can be installed, also below a sub-path', async () => {
  const { request } = await openFilled({ baseUrl: 'https://sync.example/pods' });
  const page = await (await request('GET', '/pods/')).text();
  const at = /<link rel="manifest" href="([^"]*)">/.exec(page)![1]!;
  const answer = await request('GET', new URL(at).pathname);
  expect(answer.headers.get('content-type')).toBe('application/manifest+json');
  const { start_url: start, scope, icons } = (await answer.json()) as Record<string, any>;
  expect([start, scope].map((path) => new URL(path, at).href)).toEqual(Array(2).fill('https://sync.example/pods/'));
  const icon = await request('GET', new URL(icons[0].src, at).pathname);
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect((await request('GET', '/favicon.ico')).headers.get('content-type')).toBe('image/svg+xml');
});

it('search engines are asked to leave out profiles and forms', async () => {
  const { request } = await openFilled();
  const robots = await (await request('GET', '/robots.txt')).text();
  for (const path of ['/user/', '/login', '/register']) expect(robots).toContain(`Disallow: ${path}\n`);
});

it.each([
  ['/', undefined, 'http://localhost'],
  ['/pods/', 'https://sync.example/pods', 'https://sync.example/pods'],
  ['/pods', 'https://sync.example/pods', 'https://sync.example/pods'],
])('%s explains what to enter in an app, and where to create an account', async (path, baseUrl, server) => {
  const open = await openTestServer({ ...(baseUrl && { baseUrl }), registration: 'open' });
  const page = await (await open.request('GET', path)).text();
  expect(page).toContain(`<code>${server}</code>`);
  expect(page).toContain(`<a href="${server}/register">`);
  const closed = await openTestServer({ ...(baseUrl && { baseUrl }) });
  const answer = await closed.request('GET', path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await answer.text()).not.toContain('/register');
});

it('pages link to each other, and the directory links to them, also below a sub-path', async () => {
  const baseUrl = 'https://sync.example/pods';
  const { request } = await openFilled({ baseUrl });
  const [entry] = (await (await request('GET', '/toplist/1.json')).json()) as any[];
  expect(entry.svc_link).toBe(`${baseUrl}${podcastPage}`);
  const podcast = await (await request('GET', entry.svc_link.slice('https://sync.example'.length))).text();
  expect(podcast).toContain(`href="${baseUrl}${episodePage.replace('&', '&amp;')}"`);
  expect(podcast).toContain(`src="${baseUrl}/logo/256/`);
  const episode = await (await request('GET', `/pods${episodePage}`)).text();
  expect(episode).toContain(`href="${baseUrl}${podcastPage}"`);
  expect(episode).toContain('href="http://example.org/1.mp3?a=1&amp;b=&quot;2&quot;" rel="nofollow noopener"');
});

it.each([
  '/podcast',
  '/podcast?url=http://example.org/unknown',
  `/episode?podcast=${A}`,
  `/episode?podcast=${A}&url=http://example.org/2.mp3`,
])('%s is 404', async (path) => {
  const { request } = await openFilled();
  expect((await request('GET', path)).status).toBe(404);
});

it('a list has the page that its summary links to', async () => {
  const { request } = await openTestServer();
  const auth = 'bob:secret';
  const body = ['http://example.org/a?x=1&y=2'];
  await request('POST', '/api/2/lists/bob/create.json?title=%3Cb%3EMy%20List%3C%2Fb%3E', { auth, body });
  const [{ web }] = (await (await request('GET', '/api/2/lists/bob.json')).json()) as [{ web: string }];
  const page = await request('GET', new URL(web).pathname);
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(html).toContain('&lt;b&gt;My List&lt;/b&gt;');
  expect(html).toContain('<a href="http://example.org/a?x=1&amp;y=2" rel="nofollow noopener">'); // it has no page
  expect(html).not.toContain('<b>');
  expect((await request('GET', '/user/bob/lists/none')).status).toBe(404);
  expect((await request('GET', '/user/nobody/lists/mine')).status).toBe(404);
});
