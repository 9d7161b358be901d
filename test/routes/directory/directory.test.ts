import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { openTestServer, TARGETS, type TestServer } from '../../server.ts';

const auth = 'bob:secret';
const A = 'http://example.org/a';
const B = 'http://example.org/b';
const C = 'http://example.org/c?x=1&y=ä'.replace('ä', '%C3%A4');
const LOGO = 'http://example.org/logo.png';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const page = (url: string): string => `http://localhost/podcast?url=${encodeURIComponent(url)}`;

const PODCAST_A = {
  url: A,
  title: 'Alpha & Omega',
  author: 'Ann',
  description: 'First <things> last.',
  subscribers: 2,
  subscribers_last_week: 2,
  logo_url: LOGO,
  website: 'http://example.org/',
  svc_link: page(A),
  mygpo_link: page(A),
};
const PODCAST_B = {
  url: B,
  title: B,
  author: '',
  description: '',
  subscribers: 1,
  subscribers_last_week: 1,
  logo_url: null,
  website: '',
  svc_link: page(B),
  mygpo_link: page(B),
};

/** Bob subscribes to A, eve to A and B; A was fetched. C is known but has no subscribers. */
async function openFilled(options: Parameters<typeof openTestServer>[0] = {}, target?: 'in-process' | 'socket') {
  const server = await openTestServer(options, target);
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [C, A] });
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [A] });
  await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [B, A] });
  const texts = { title: 'Alpha & Omega', author: 'Ann', description: 'First <things> last.', logoUrl: LOGO };
  await recordFeed(
    server.storage,
    A,
    { ...texts, website: 'http://example.org/', tags: ['Society & Culture', 'News'] },
    [
      {
        url: 'http://example.org/1.mp3',
        guid: 'one',
        title: 'One',
        description: 'The first.',
        releasedAt: 1_600_000_000,
      },
      { url: 'http://example.org/2.mp3' },
      { url: 'http://example.org/%C3%A4.mp3' },
    ],
  );
  return server;
}

const read = async ({ request }: TestServer, path: string, options = {}): Promise<any> => {
  const answer = await request('GET', path, options);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.anything()]);
  return answer.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text;
};

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

describe('the toplist', () => {
  it('is available in the formats of the interface', async () => {
    const server = await openFilled();
    const entries = [
      { ...PODCAST_A, position_last_week: 0 },
      { ...PODCAST_B, position_last_week: 0 },
    ];
    expect(await read(server, '/toplist/10.json')).toEqual(entries);
    expect(await read(server, '/toplist/1.json')).toEqual(entries.slice(0, 1));
    expect(await read(server, '/toplist/10.txt')).toBe(`${A}\n${B}\n`);
    expect(await read(server, '/toplist/10.jsonp?jsonp=take')).toBe(
      `take(${JSON.stringify(entries).replaceAll('</', '<\\/')});`,
    );
    const opml = await read(server, '/toplist/10.opml');
    expect(opml).toContain(`text="Alpha &amp; Omega" title="Alpha &amp; Omega" xmlUrl="${A}"`);
    expect(opml.indexOf(A)).toBeLessThan(opml.indexOf(B));
    const xml = await read(server, '/toplist/1.xml?scale_logo=32');
    expect(xml).toContain('<podcasts>\n  <podcast>\n');
    expect(xml).toContain('    <description>First &lt;things&gt; last.</description>\n');
    expect(xml).toContain(`    <scaled_logo_url>http://localhost/logo/32/${hash(LOGO)}</scaled_logo_url>\n`);
    expect(xml).toContain('    <position_last_week>0</position_last_week>\n');
  });

  it('follows every change, and returns 304 if there was none', async () => {
    const server = await openFilled();
    const answer = await server.request('GET', '/toplist/2.json');
    const etag = answer.headers.get('etag')!;
    const again = await server.request('GET', '/toplist/2.json', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [B] });
    const changed = await server.request('GET', '/toplist/2.json', { headers: { 'if-none-match': etag } });
    expect([changed.status, ((await changed.json()) as any[]).map(({ subscribers }) => subscribers)]).toEqual([
      200,
      [1, 1],
    ]);
  });

  it('returns the position of last week', async () => {
    const server = await openFilled();
    await server.services.directory.rebuildToplist();
    server.clock.now += 7 * 86_400;
    const positions = (await read(server, '/toplist/2.json')).map((entry: any) => entry.position_last_week);
    expect(positions).toEqual([1, 2]);
  });

  it.each([
    ['', undefined],
    ['?scale_logo=', 64],
    ['?scale_logo=1', 1],
    ['?scale_logo=256', 256],
  ])('with %j has logos of size %s', async (query, size) => {
    const server = await openFilled();
    const links = (await read(server, `/toplist/2.json${query}`)).map((entry: any) => entry.scaled_logo_url);
    const link = (logo: string): unknown => size && `http://localhost/logo/${size}/${hash(logo)}`;
    expect(links).toEqual([link(LOGO), link('')]);
  });

  it('links to the public address of the server', async () => {
    const baseUrl = 'https://sync.example/pods';
    const server = await openFilled({ baseUrl });
    const [first] = await read(server, '/pods/toplist/1.json?scale_logo=8');
    expect(first.svc_link).toBe(`${baseUrl}/podcast?url=${encodeURIComponent(A)}`);
    expect(first.scaled_logo_url).toBe(`${baseUrl}/logo/8/${hash(LOGO)}`);
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

it('does not list a feed with a password in its URL', async () => {
  const server = await openFilled({ keepUrlCredentials: true });
  const secret = 'http://eve:hunter2@example.org/alpha';
  await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [B, A, secret] });
  await recordFeed(server.storage, secret, { title: 'Alpha', tags: ['News'] });
  expect(await read(server, '/toplist/10.txt')).toBe(`${A}\n${B}\n`);
  expect(await read(server, '/toplist.opml')).not.toContain('hunter2');
  expect(await read(server, '/search.txt?q=alpha')).toBe(`${A}\n`);
  expect(await read(server, '/api/2/tag/news/10.json')).toEqual([PODCAST_A]);
  expect(await read(server, '/suggestions/10.txt', { auth })).toBe(`${B}\n`);
  expect(await read(server, '/subscriptions/eve/phone.txt', { auth: 'eve:secret' })).toContain(secret);
});

it('a hidden feed does not displace another one in a list', async () => {
  const server = await openFilled({ keepUrlCredentials: true });
  const secrets = ['alpha', 'beta', 'gamma'].map((name) => `http://eve:hunter2@example.org/${name}`);
  for (const user of ['bob', 'eve']) {
    await server.request('POST', `/api/2/subscriptions/${user}/laptop.json`, {
      auth: `${user}:secret`,
      body: { add: secrets },
    });
  }
  expect(await read(server, '/toplist/1.txt')).toBe(`${A}\n`);
  expect(await read(server, '/toplist/2.txt')).toBe(`${A}\n${B}\n`);
});

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
