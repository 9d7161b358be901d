import { describe, expect, it } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { openTestServer, type TestServer } from '../../server.ts';

const SECRET = 'Xk29aQT0k3nOf0n3';
const UUID = '6578dc75-e126-4d54-83ca-34f1cc4902b8';
const JWT = `eyJ0IjoicCIsImMiOiIxNDA2${SECRET}`;

/** Private feeds with the secret in their URLs. */
const PRIVATE = [
  `https://www.patreon.com/rss/show?auth=${SECRET}`,
  `https://show.supportingcast.fm/content/${JWT}.rss`,
  `https://show.supercast.com/feeds/${SECRET}`,
  `https://show.supercast.tech/feeds/${SECRET}abcdefgh`,
  `https://access.acast.com/rss/632090bb4d259900133e31a5/${SECRET}`,
  `https://feeds.acast.com/private/shows/${UUID}/${SECRET}abcdefgh`,
  `https://site.memberful.com/rss/1234?auth=${SECRET}`,
  `https://api.substack.com/feed/podcast/10845/private/${UUID}.rss?x=${SECRET}`,
  `https://subscribers.transistor.fm/${SECRET}`,
  `https://feeds.redcircle.com/private/${SECRET}abcdefgh`,
  `https://rss.glow.fm/show/${SECRET}`,
  `https://example.org/feed.xml?token=${SECRET}`,
  `https://example.org/feed.xml?x=1&key=${SECRET}`,
  `https://example.org/feed.xml?X-Amz-Signature=${SECRET}`,
  `https://ann:${SECRET}@example.org/feed.xml`,
];
const MOVING = 'https://example.org/moving.xml';
const MOVED = `https://example.org/moved.xml?secret=${SECRET}`;
const PUBLIC = 'https://example.org/public.xml';

const auth = 'bob:secret';

/** Bob subscribes to all private feeds and a public one, and creates a list of them. All feeds were fetched. */
async function openFilled(): Promise<TestServer> {
  const server = await openTestServer({ keepUrlCredentials: true });
  const { request, storage } = server;
  const urls = [PUBLIC, ...PRIVATE, MOVING];
  expect((await request('PUT', '/subscriptions/bob/phone.json', { auth, body: urls })).status).toBe(200);
  for (const url of urls) {
    const moves = url === MOVING ? { movedTo: MOVED } : {};
    const about = { title: `Show ${SECRET}`, description: SECRET, website: `https://example.org/${SECRET}` };
    const podcast = { ...(url === PUBLIC ? { title: 'A show' } : about), tags: ['News'] };
    await recordFeed(storage, url, podcast, [{ url: `${url}#1`, title: podcast.title }], moves);
  }
  await request('POST', '/api/2/lists/bob/create.json?title=Mine', { auth, body: urls });
  const actions = PRIVATE.map((podcast) => ({ podcast, episode: `https://media.example/${SECRET}`, action: 'play' }));
  expect((await request('POST', '/api/2/episodes/bob.json', { auth, body: actions })).status).toBe(200);
  await storage.podcasts.rebuildToplist();
  return server;
}

const FORMATS = ['json', 'txt', 'opml', 'jsonp'];
/** Public paths. */
const ANSWERS = [
  ...FORMATS.flatMap((format) => [
    `/toplist/100.${format}?jsonp=f`,
    `/search.${format}?q=show&jsonp=f`,
    `/search.${format}?q=example.org&jsonp=f`,
    `/search.${format}?q=https://www.patreon.com/&jsonp=f`,
    `/api/2/lists/bob/list/mine.${format}?jsonp=f`,
  ]),
  '/toplist/100.xml?scale_logo=64',
  '/toplist.opml',
  '/api/2/tags/100.json',
  '/api/2/tag/news/100.json',
  '/api/2/lists/bob.json',
  '/user/bob',
  '/user/bob/subscriptions.opml',
  '/user/bob/lists/mine',
  '/',
  '/health',
  '/clientconfig.json',
  `/api/2/data/podcast.json?url=${encodeURIComponent(MOVING)}`,
  `/podcast?url=${encodeURIComponent(MOVING)}`,
  `/api/2/data/podcast.json?url=${encodeURIComponent(PUBLIC)}`,
  `/podcast?url=${encodeURIComponent(PUBLIC)}`,
];

const textOf = async (answer: Response): Promise<string> =>
  `${JSON.stringify([...answer.headers])}${await answer.text()}`;

describe('private feeds', () => {
  it('nobody else sees their addresses or content anywhere', async () => {
    const { request, logged } = await openFilled();
    for (const asked of [{}, { auth: 'eve:secret' }, { auth: 'bob:wrong' }]) {
      for (const path of [...ANSWERS, ...(asked.auth === 'eve:secret' ? ['/suggestions/100.json'] : [])]) {
        expect(await textOf(await request('GET', path, asked)), path).not.toContain(SECRET);
      }
    }
    expect(await (await request('GET', '/toplist/100.json')).json()).toMatchObject([{ url: PUBLIC }]);
    expect(logged.join('\n')).not.toContain(SECRET);
  });

  it('look unknown to anybody else', async () => {
    const { request } = await openFilled();
    const nothing = 'https://nothing.example/feed.xml';
    for (const url of [...PRIVATE, MOVING, MOVED]) {
      for (const asked of [{}, { auth: 'eve:secret' }, { auth: 'bob:wrong' }, { cookie: 'stale' }]) {
        for (const path of ['/api/2/data/podcast.json?url=*', '/api/2/data/episode.json?podcast=*&url=*%231']) {
          const [known, unknown] = await Promise.all(
            [url, nothing].map((each) => request('GET', path.replaceAll('*', encodeURIComponent(each)), asked)),
          );
          expect(known!.status).toBe(404);
          expect(await known!.text()).toBe(await unknown!.text());
          expect([...known!.headers.keys()]).toEqual([...unknown!.headers.keys()]);
        }
      }
    }
  });

  it('look like any other feed to their subscriber', async () => {
    const { request } = await openFilled();
    for (const url of [...PRIVATE, MOVING]) {
      for (const path of ['/api/2/data/podcast.json', '/podcast']) {
        const answer = await request('GET', `${path}?url=${encodeURIComponent(url)}`, { auth });
        expect([answer.status, answer.headers.get('cache-control')], url).toEqual([200, 'no-store']);
        expect(await answer.text()).toContain(SECRET);
      }
    }
    const list = await request('GET', '/api/2/lists/bob/list/mine.txt', { auth });
    expect((await list.text()).trim().split('\n')).toEqual([PUBLIC, ...PRIVATE, MOVING]);
    expect(list.headers.get('cache-control')).toBe('no-store');
  });

  it('are no longer listed once their public subscribers hide them', async () => {
    const { request, services } = await openFilled();
    const expectListed = async (urls: string[]): Promise<void> => {
      expect(await (await request('GET', '/toplist/9.txt')).text()).toBe(urls.map((url) => `${url}\n`).join(''));
      expect((await request('GET', `/podcast?url=${encodeURIComponent(PUBLIC)}`)).status).toBe(
        urls.length > 0 ? 200 : 404,
      );
    };
    const set = (values: object): Promise<Response> =>
      request('POST', '/api/2/settings/bob/account.json', { auth, body: { set: values, remove: [] } });
    await expectListed([PUBLIC]);
    await set({ public_subscriptions: false });
    await expectListed([]);
    await set({ public_subscriptions: true });
    await expectListed([PUBLIC]);
    await set({ public_profile: false });
    await expectListed([]);
    await set({ public_profile: true });
    await expectListed([PUBLIC]);
    await request('POST', '/api/2/subscriptions/bob/phone.json', { auth, body: { remove: [PUBLIC] } });
    await expectListed([]);
    await request('POST', '/api/2/subscriptions/bob/phone.json', { auth, body: { add: [PUBLIC] } });
    await expectListed([PUBLIC]);
    await services.administration.remove('bob');
    await expectListed([]);
  });
});
