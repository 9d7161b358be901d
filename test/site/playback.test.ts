import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { openVisitor, signIn, type Visitor } from './browser.ts';

const auth = 'bob:secret';
const FEED = 'https://feeds.example/talk.xml';
const MEDIA = 'https://media.example/1.mp3';
const PODCAST = `/podcast?url=${encodeURIComponent(FEED)}`;
const episodePath = (media: string, feed = FEED): string =>
  `/episode?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(media)}`;
const EPISODE = episodePath(MEDIA);
const AT = 'http://localhost';

interface Action {
  podcast: string;
  episode: string;
  device?: string;
  guid?: string;
  action: string;
  timestamp: string;
  started?: number;
  position?: number;
  total?: number;
}

/** Bob's phone subscribes to a podcast with two known episodes. */
async function openFilled(options = {}): Promise<TestServer> {
  const server = await openTestServer(options);
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [FEED] });
  await recordFeed(server.storage, FEED, { title: 'Talk' }, [
    { url: MEDIA, guid: 'one', title: 'First', releasedAt: 1_690_000_000, duration: 3600 },
    { url: 'https://media.example/2.mp3', title: 'Second', releasedAt: 1_680_000_000 },
  ]);
  return server;
}

/** An upload of an app; returns the mark. */
async function upload({ request }: TestServer, ...actions: (Partial<Action> & { action: string })[]): Promise<number> {
  const body = actions.map((action) => ({ podcast: FEED, episode: MEDIA, device: 'phone', ...action }));
  const answer = await request('POST', '/api/2/episodes/bob.json', { auth, body });
  return ((await answer.json()) as { timestamp: number }).timestamp;
}

/** The actions that an app receives. */
async function download({ request }: TestServer, since = 0) {
  const answer = await request('GET', `/api/2/episodes/bob.json?since=${since}`, { auth });
  return (await answer.json()) as { actions: Action[]; timestamp: number };
}

const press = (visitor: Visitor, button: string, url = MEDIA, page = EPISODE) =>
  visitor.send(page, { url }, `${AT}/episode/${button}`);

/** An upload of the player of a page. */
const play = (visitor: Visitor, times: Record<string, string>, page = EPISODE) =>
  visitor.send(page, times, `${AT}/episode/progress`);

it('a part that arrives late keeps its time, so that it does not replace what an app played since', async () => {
  const server = await openFilled();
  const visitor = await signIn(server);
  server.clock.now = Date.UTC(2023, 10, 14, 12) / 1000;
  await upload(server, { action: 'play', position: 900, timestamp: '2023-11-14T11:30:00' });
  await play(visitor, { started: '0', position: '300', total: '3600', age: '3600' });
  const { actions } = await download(server);
  expect(actions.at(-1)).toMatchObject({ device: 'web', position: 300, timestamp: '2023-11-14T11:00:00' });
  expect((await visitor.get(EPISODE)).html).toContain('#t=900"');
  expect((await play(visitor, { position: '300', age: 'long' })).status).toBe(400);
});

describe('the page of an episode', () => {
  it('is public for visitors, and private for signed-in users', async () => {
    const server = await openFilled();
    for (const path of [PODCAST, EPISODE]) {
      const open = await openVisitor(server).get(path);
      expect(open.headers.get('cache-control')).toBe('public, no-cache');
      expect(open.headers.get('etag')).not.toBeNull();
      expect(open.html).not.toContain('method="post"');
      const own = await (await signIn(server)).get(path);
      expect(own.headers.get('cache-control')).not.toContain('public');
    }
  });

  it('starts where an app stopped, and shows how much is left', async () => {
    const server = await openFilled();
    await upload(server, { action: 'play', started: 0, position: 600, total: 3700 });
    const { html } = await (await signIn(server)).get(EPISODE);
    expect(html).toContain(`<audio controls preload="none" src="${MEDIA}#t=600">`);
    expect(html).toContain('52 min left');
    expect(html).toContain('0:00 to 10:00 of 1:01:40');
    expect((await openVisitor(server).get(EPISODE)).html).toContain(`<audio controls preload="none" src="${MEDIA}">`);
  });

  it('resumes even if an app has deleted the file, but not after it was finished or marked as new', async () => {
    const server = await openFilled();
    const visitor = await signIn(server);
    const source = async () => /src="([^"]*mp3[^"]*)"/.exec((await visitor.get(EPISODE)).html)![1];
    await upload(server, { action: 'play', started: 0, position: 600, total: 3600, timestamp: '2023-01-01T10:00:00' });
    await upload(server, { action: 'delete', timestamp: '2023-01-01T11:00:00' });
    expect(await source()).toBe(`${MEDIA}#t=600`);
    expect((await visitor.get(EPISODE)).html).toContain('50 min left · Deleted');
    await upload(server, { action: 'new', timestamp: '2023-01-01T12:00:00' });
    expect(await source()).toBe(MEDIA);
    await upload(server, { action: 'play', started: 0, position: 3590, total: 3600, timestamp: '2023-01-01T13:00:00' });
    expect(await source()).toBe(MEDIA);
    expect((await visitor.get(EPISODE)).html).toContain('Played · 1 h');
  });

  it('keeps actions under a former address of the podcast, and uploads to that address', async () => {
    const server = await openFilled();
    await upload(server, { action: 'play', started: 0, position: 600, total: 3600 });
    const moved = 'https://feeds.example/moved.xml';
    const newMedia = 'https://cdn.example/1.mp3';
    const state = { url: FEED, intervalSeconds: 3600, failures: 0, nextAt: 1_700_259_200, fetchedAt: 1_700_000_000 };
    await recordFeed(server.storage, FEED, { title: 'Talk' }, [{ url: newMedia, guid: 'one', title: 'First' }], {
      state,
      movedTo: moved,
    });
    const visitor = await signIn(server);
    const path = episodePath(newMedia, moved);
    expect((await visitor.get(path)).html).toContain(`src="${newMedia}#t=600"`);
    const { timestamp } = await download(server);
    await play(visitor, { started: '600', position: '700', total: '3600' }, path);
    const { actions } = await download(server, timestamp);
    expect(actions).toMatchObject([{ podcast: FEED, episode: MEDIA, guid: 'one', device: 'web', position: 700 }]);
    expect((await visitor.get(path)).html).toContain(`src="${newMedia}#t=700"`);
    const podcast = await visitor.get(`/podcast?url=${encodeURIComponent(moved)}`);
    expect(podcast.html).toContain(`name="podcast" value="${FEED}"`);
    expect(podcast.html).toContain('48 min left');
  });
});

describe('an episode that is known only from actions of the account', () => {
  it.each([
    ['by its address', { podcast: 'https://feeds.example/unknown', episode: 'https://media.example/x.mp3' }],
    ['by its GUID, as version 1 may name it', { podcast: 'https://feeds.example/unknown', episode: 'tag:x,2023:1' }],
  ])('has a page for its owner, with its history and marks: %s', async (_, { podcast, episode }) => {
    const server = await openFilled();
    const action = { podcast, episode, action: 'play', position: '00:10:00', timestamp: '2023-01-01T10:00:00' };
    await server.request('POST', '/api/1/episodes/bob.json', { auth, body: [action] });
    const path = episodePath(episode, podcast);
    expect((await openVisitor(server).get(path)).status).toBe(404);
    expect((await (await signIn(server, 'eve')).get(path)).status).toBe(404);
    const visitor = await signIn(server);
    const { html, headers } = await visitor.get(path);
    expect(headers.get('cache-control')).toContain('no-store');
    expect(html).toContain('Stopped at 10:00');
    expect(html).toContain('Played to 10:00');
    const isMedia = episode.startsWith('https:');
    expect([html.includes('<audio'), html.includes('Add to favorites')]).toEqual([isMedia, isMedia]);
    const { timestamp } = await download(server);
    await press(visitor, 'played', episode, path);
    expect((await download(server, timestamp)).actions).toMatchObject([
      { podcast, episode, position: 600, total: 600 },
    ]);
    expect((await visitor.get(path)).html).toContain('Played · 10 min');
  });
});

describe('marks', () => {
  it('as played reach an app at its next sync, from the end to the end, without listening time', async () => {
    const server = await openFilled();
    const { timestamp } = await download(server);
    const visitor = await signIn(server);
    const done = await press(visitor, 'played');
    expect([done.status, done.location]).toEqual([303, `${AT}${EPISODE}`]);
    const { actions } = await download(server, timestamp);
    expect(actions).toEqual([
      {
        podcast: FEED,
        episode: MEDIA,
        guid: 'one',
        device: 'web',
        action: 'play',
        timestamp: '2023-11-14T22:13:20',
        started: 3600,
        position: 3600,
        total: 3600,
      },
    ]);
    const { html } = await visitor.get(EPISODE);
    expect(html).toContain('Played');
    expect(html).not.toContain('Mark as played');
  });

  it.each([
    ['that an app reported', MEDIA, [{ action: 'play', started: 0, position: 9, total: 3700 }], 3700],
    ['of the feed', MEDIA, [{ action: 'play', position: 9 }], 3600],
    ['up to which it was played', 'https://media.example/2.mp3', [{ action: 'play', position: 77 }], 77],
    ['that is the least, where nothing is known', 'https://media.example/2.mp3', [], 1],
  ])('as played at the length %s', async (_, episode, actions, end) => {
    const server = await openFilled();
    await upload(server, ...actions.map((action) => ({ ...action, episode })));
    const visitor = await signIn(server);
    const { timestamp } = await download(server);
    await press(visitor, 'played', episode, episodePath(episode));
    expect((await download(server, timestamp)).actions).toMatchObject([{ started: end, position: end, total: end }]);
    expect((await visitor.get(episodePath(episode))).html).toContain('Played');
  });

  it('as new start again, and the last one counts even within a second or against an app with a fast clock', async () => {
    const server = await openFilled();
    await upload(server, { action: 'play', started: 0, position: 600, total: 3600, timestamp: '2030-01-01T00:00:00' });
    const visitor = await signIn(server);
    const { timestamp } = await download(server);
    for (const button of ['played', 'new', 'played', 'new']) await press(visitor, button);
    expect((await visitor.get(EPISODE)).html).toContain('Marked as new');
    const { actions } = await download(server, timestamp);
    expect(actions.map(({ action }) => action)).toEqual(['play', 'new', 'play', 'new']);
    const latest = await server.request('GET', '/api/2/episodes/bob.json?aggregated=true', { auth });
    expect(((await latest.json()) as { actions: Action[] }).actions).toMatchObject([{ action: 'new', device: 'web' }]);
  });

  it('can be set on the page of the podcast, which returns to the same position', async () => {
    const server = await openFilled();
    const visitor = await signIn(server);
    const { html } = await visitor.get(PODCAST);
    expect(html).toContain(`formaction="${AT}/episode/played#episode-1"`);
    const done = await press(visitor, 'played#episode-1', MEDIA, PODCAST);
    expect(done.location).toBe(`${AT}${PODCAST}`);
    const after = (await visitor.get(PODCAST)).html;
    expect(after).toContain('aria-label="Mark as new: First"');
    expect(after).toContain('aria-label="Mark as played: Second"');
  });

  it('register the browser as a device, which the user may rename', async () => {
    const server = await openFilled();
    const visitor = await signIn(server);
    await press(visitor, 'played');
    const devices = async () =>
      (await (await server.request('GET', '/api/2/devices/bob.json', { auth })).json()) as unknown[];
    expect(await devices()).toContainEqual({ id: 'web', caption: 'Web browser', type: 'other', subscriptions: 0 });
    await server.request('POST', '/api/2/devices/bob/web.json', { auth, body: { caption: 'Laptop' } });
    await press(visitor, 'new');
    expect(await devices()).toContainEqual({ id: 'web', caption: 'Laptop', type: 'other', subscriptions: 0 });
  });
});

it('favorites set on the website reach apps, and those of apps can be removed here', async () => {
  const server = await openFilled();
  const visitor = await signIn(server);
  const favorites = async () =>
    (await (await server.request('GET', '/api/2/favorites/bob.json', { auth })).json()) as { url: string }[];
  await press(visitor, 'favorite');
  expect(await favorites()).toMatchObject([{ url: MEDIA, podcast_url: FEED }]);
  expect((await visitor.get(PODCAST)).html).toContain('1 h · Favorite');
  await press(visitor, 'favorite/remove');
  expect(await favorites()).toEqual([]);
  const scope = `/api/2/settings/bob/episode.json?podcast=${FEED}&episode=${MEDIA}`;
  await server.request('POST', scope, { auth, body: { set: { is_favorite: true, note: 'x' } } });
  expect((await visitor.get(EPISODE)).html).toContain('Remove from favorites');
  await press(visitor, 'favorite/remove');
  expect(await (await server.request('GET', scope, { auth })).json()).toEqual({ note: 'x' });
});

describe('the player', () => {
  it('uploads what was played, and the next page resumes there', async () => {
    const server = await openFilled();
    const visitor = await signIn(server);
    const { timestamp } = await download(server);
    const { status, html } = await play(visitor, { started: '10', position: '40', total: '3601' });
    expect([status, html]).toEqual([204, '']);
    expect((await download(server, timestamp)).actions).toMatchObject([
      { device: 'web', action: 'play', started: 10, position: 40, total: 3601 },
    ]);
    expect((await visitor.get(EPISODE)).html).toContain('#t=40"');
    expect((await visitor.get('/history')).html).toContain('Played 0:10 to 0:40 of 1:00:01');
    expect((await visitor.get('/')).html).toContain('59 min left · Web browser');
  });

  it('uploads only the position if the browser does not know the length', async () => {
    const server = await openFilled();
    await play(await signIn(server), { started: '10', position: '40', total: '' });
    const stored = await server.storage.actions.query((await server.services.accounts.findByName('bob'))!.id, {});
    const times: unknown[] = [];
    for await (const page of stored.pages) times.push(...page.map((action) => action.play));
    expect(times).toEqual([{ position: 40 }]);
  });

  it.each([
    [{ position: '' }, '"position" is missing'],
    [{ position: '-1' }, '"position" must be whole seconds'],
    [{ position: '1.5' }, '"position" must be whole seconds'],
    [{ position: '9999999999' }, '"position" must be whole seconds'],
    [{ position: '1', total: 'x' }, '"total" must be whole seconds'],
    [{ position: '1', podcast: 'x' }, 'the episode must be named'],
    [{ position: '1', url: '' }, 'the episode must be named'],
  ])('receives an error for %j, and nothing is stored', async (fields, problem) => {
    const server = await openFilled();
    const answer = await play(await signIn(server), fields);
    expect(answer.status).toBe(400);
    expect(answer.html.replaceAll('&quot;', '"')).toContain(problem.slice(1));
    expect((await download(server)).actions).toEqual([]);
  });

  it('is refused without the token of the page, or a login', async () => {
    const server = await openFilled();
    const visitor = await signIn(server);
    expect((await play(visitor, { position: '1', csrf: 'x' })).status).toBe(403);
    const answer = await server.request('POST', '/episode/progress');
    expect(answer.headers.get('location')).toBe(`${AT}/login?next=%2Fepisode`);
    expect((await download(server)).actions).toEqual([]);
  });
});

it('an app and the browser lose nothing at the same time: the app pulls, the browser plays, the app pushes and pulls again', async () => {
  const server = await openFilled();
  const visitor = await signIn(server);
  const received: Action[] = [];
  let since = 0;
  for (let round = 1; round <= 5; round += 1) {
    const pulled = await download(server, since);
    received.push(...pulled.actions);
    await play(visitor, { started: String(round * 30 - 30), position: String(round * 30), total: '3600' });
    const episode = 'https://media.example/2.mp3';
    // Like AntennaPod, it uses the mark of the upload next.
    since = await upload(server, { action: 'play', episode, started: 0, position: round, total: 100 });
    server.clock.now += round % 2;
    await press(visitor, round % 2 ? 'played' : 'new');
  }
  received.push(...(await download(server, since)).actions);
  const web = new Set(received.filter(({ device }) => device === 'web').map((action) => JSON.stringify(action)));
  expect(web.size).toBe(10);
  const { html } = await visitor.get('/history');
  expect(html.match(/· Web browser/g)?.length).toBe(10);
  expect(html.match(/· phone/g)?.length).toBe(5);
});

describe('the page of a podcast', () => {
  it('subscribes and unsubscribes', async () => {
    const server = await openFilled();
    // Without subscribers the page is a 404.
    await server.request('PUT', '/subscriptions/eve/phone.json', { auth: 'eve:secret', body: [FEED] });
    const visitor = await signIn(server);
    const list = async () =>
      (await (await server.request('GET', '/subscriptions/bob/phone.json', { auth })).json()) as string[];
    const removed = await visitor.send(PODCAST, {}, `${AT}/subscriptions/remove`);
    expect(removed.location).toContain('/subscriptions?removed=');
    expect(await list()).toEqual([]);
    const added = await visitor.send(PODCAST, {}, `${AT}/subscriptions`);
    expect(added.location).toBe(`${AT}${PODCAST}`);
    expect(await list()).toEqual([FEED]);
    expect((await visitor.get(PODCAST)).html).toContain('Unsubscribe</button>');
  });

  it('lists 50 episodes on a page', async () => {
    const server = await openFilled();
    const episodes = Array.from({ length: 101 }, (_, i) => ({
      url: `https://media.example/n${i}.mp3`,
      title: `No ${i}.`,
    }));
    await recordFeed(server.storage, FEED, {}, episodes);
    const visitor = openVisitor(server);
    const { html } = await visitor.get(PODCAST);
    expect(html.match(/<li id="episode-/g)?.length).toBe(50);
    expect(html).toContain('Page 1 of 3');
    const next = `?url=${encodeURIComponent(FEED)}&amp;page=2`;
    expect(html).toContain(`href="${next}" rel="next"`);
    expect((await visitor.get(`${PODCAST}&page=3`)).html).toContain('No 100.');
    expect((await visitor.get(`${PODCAST}&page=4`)).status).toBe(404);
    const own = await signIn(server);
    const done = await press(own, 'played', episodes[60]!.url, `${PODCAST}&page=2`);
    expect(done.location).toBe(`${AT}${PODCAST}&page=2`);
  });

  it('reports that a feed cannot be fetched, why, and since when', async () => {
    const server = await openFilled();
    const visitor = openVisitor(server);
    expect((await visitor.get(PODCAST)).html).not.toMatch(/fetching has failed|never been fetched/);
    const state = { url: FEED, intervalSeconds: 3600, failures: 3, error: 'the server answered 500' };
    await server.storage.podcasts.record(FEED, { state: { ...state, fetchedAt: 1_700_000_000 } });
    const { html } = await visitor.get(PODCAST);
    expect(html).toMatch(
      /last fetched on <time[^>]*>14 November 2023<\/time>. Fetching has failed since then\. The server answered 500\./,
    );
    await server.storage.podcasts.record(FEED, { state });
    expect((await visitor.get(PODCAST)).html).toContain('This feed has never been fetched. The server answered 500.');
  });
});
