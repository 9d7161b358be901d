import { describe, expect, it } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { TARGETS } from '../../server.ts';
import { auth, A, B, LOGO, hash, PODCAST_A, PODCAST_B, openFilled, read } from './samples.ts';

describe.each(TARGETS)('the directory (%s)', (target) => {
  it.each<[string, number]>([
    ['/toplist/0.json', 400],
    ['/toplist/1.json', 200],
    ['/toplist/100.xml', 200],
    ['/toplist/101.json', 400],
    ['/toplist/ten.json', 400],
    ['/toplist/-1.json', 400],
    ['/toplist/5.html', 400],
    ['/toplist/5.jsonp', 400],
    ['/toplist/5.jsonp?jsonp=alert(1)', 400],
    ['/toplist/5.jsonp?jsonp=app.take', 200],
    ['/toplist/5.json?scale_logo=0', 400],
    ['/toplist/5.json?scale_logo=257', 400],
    ['/toplist/5.json?scale_logo=1.5', 400],
    ['/toplist/5.txt?scale_logo=big', 400],
    ['/toplist/5.json?scale_logo=', 200],
    ['/api/2/tags/0.json', 400],
    ['/api/2/tags/1000.json', 200],
    ['/api/2/tags/1001.json', 400],
    ['/api/2/tags/5.txt', 400],
    ['/api/2/tag/news/0.json', 400],
    ['/api/2/tag/news/1001.json', 400],
    ['/api/2/tag/a%2Fb/5.json', 200],
    ['/api/2/data/podcast.json', 404],
    ['/api/2/data/podcast.json?url=', 404],
    ['/api/2/data/podcast.json?url=ftp://example.org/', 404],
    ['/api/2/data/podcast.json?url=http://example.org/unknown', 404],
    [`/api/2/data/podcast.json?url=${encodeURIComponent(` HTTP://EXAMPLE.org/a#x`)}`, 200],
    [`/api/2/data/episode.json?podcast=${A}`, 404],
    [`/api/2/data/episode.json?podcast=${A}&url=http://example.org/3.mp3`, 404],
    [`/api/2/data/episode.json?podcast=${A}&url=http://example.org/ä.mp3`, 200],
    [`/api/2/data/episode.json?podcast=${B}&url=http://example.org/1.mp3`, 404],
    ['/search.json', 400],
    ['/search.json?q=%20', 400],
    ['/search.xml?q=alpha', 400],
    ['/search.txt?q=alpha', 200],
  ])('GET %s is %d', async (path, status) => {
    const { request } = await openFilled({}, target);
    const answer = await request('GET', path);
    expect([answer.status, await answer.text()]).toEqual([status, expect.anything()]);
    expect(answer.headers.get('cache-control')).toBe(status === 200 ? 'public, no-cache' : 'no-store');
  });
});

it('ignores credentials, and sets no cookie', async () => {
  const { request } = await openFilled();
  for (const path of [
    '/toplist/5.json',
    '/search.json?q=alpha',
    '/api/2/tags/5.json',
    `/api/2/data/podcast.json?url=${A}`,
  ]) {
    const answer = await request('GET', path, { auth: 'bob:wrong', cookie: 'stale' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toBeNull();
  }
});

it('returns a podcast and an episode with every key that clients need', async () => {
  const server = await openFilled();
  expect(await read(server, `/api/2/data/podcast.json?url=${A}`)).toEqual(PODCAST_A);
  expect(await read(server, `/api/2/data/podcast.json?url=${B}`)).toEqual(PODCAST_B);
  const episode = (url: string): string => `/api/2/data/episode.json?podcast=${A}&url=${url}`;
  const episodePage = (url: string): string =>
    `http://localhost/episode?podcast=${encodeURIComponent(A)}&url=${encodeURIComponent(url)}`;
  expect(await read(server, episode('http://example.org/1.mp3'))).toEqual({
    title: 'One',
    url: 'http://example.org/1.mp3',
    podcast_title: 'Alpha & Omega',
    podcast_url: A,
    description: 'The first.',
    website: '',
    released: '2020-09-13T12:26:40',
    svc_link: episodePage('http://example.org/1.mp3'),
    mygpo_link: episodePage('http://example.org/1.mp3'),
  });
  expect(await read(server, episode('http://example.org/2.mp3'))).toMatchObject({
    title: 'http://example.org/2.mp3',
    released: '',
  });
});

it('lists tags, most used first, and their podcasts', async () => {
  const server = await openFilled();
  await recordFeed(server.storage, B, { tags: ['NEWS'] });
  expect(await read(server, '/api/2/tags/10.json')).toEqual([
    { tag: 'news', title: 'News', usage: 2 },
    { tag: 'society-culture', title: 'Society & Culture', usage: 1 },
  ]);
  expect(await read(server, '/api/2/tags/1.json')).toHaveLength(1);
  for (const tag of ['news', 'NEWS', 'nEws']) {
    expect((await read(server, `/api/2/tag/${tag}/10.json`)).map(({ url }: any) => url)).toEqual([A, B]);
  }
  expect(await read(server, '/api/2/tag/Society%20%26%20Culture/10.json')).toEqual([PODCAST_A]);
  expect(await read(server, '/api/2/tag/news/1.json')).toHaveLength(1);
  expect(await read(server, '/api/2/tag/unknown/10.json')).toEqual([]);
});

it('searches, in the formats of lists', async () => {
  const server = await openFilled();
  expect(await read(server, '/search.json?q=alpha')).toEqual([PODCAST_A]);
  expect(await read(server, '/search.json?q=alpa&scale_logo=16')).toEqual([
    { ...PODCAST_A, scaled_logo_url: `http://localhost/logo/16/${hash(LOGO)}` },
  ]);
  expect(await read(server, '/search.txt?q=omega')).toBe(`${A}\n`);
  expect(await read(server, '/search.opml?q=omega')).toContain(`xmlUrl="${A}"`);
  expect(await read(server, '/search.jsonp?q=nothing+here&jsonp=f')).toBe('f([]);');
});

it('describes the podcasts of a list under the URLs of the list', async () => {
  const server = await openFilled();
  await recordFeed(server.storage, A, { title: 'Moved' }, [], { movedTo: 'http://example.org/new' });
  const unknown = 'http://example.org/unknown';
  await server.request('POST', '/api/2/lists/bob/create.json?title=Mine', { auth, body: [A, unknown] });
  const list = await read(server, '/api/2/lists/bob/list/mine.json');
  expect(list.map(({ url, title, subscribers }: any) => [url, title, subscribers])).toEqual([
    [A, 'Moved', 2],
    [unknown, unknown, 0],
  ]);
  for (const url of [A, 'http://example.org/new']) {
    const podcast = await read(server, `/api/2/data/podcast.json?url=${url}`);
    expect([podcast.url, podcast.title]).toEqual(['http://example.org/new', 'Moved']);
  }
});
