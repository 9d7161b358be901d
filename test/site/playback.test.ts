import { describe, expect, it } from 'vitest';
import { signIn } from './browser.ts';
import { textOf } from './listener.ts';
import {
  auth,
  FEED,
  MEDIA,
  PODCAST,
  episodePath,
  EPISODE,
  AT,
  openFilled,
  upload,
  download,
  press,
  play,
  type Action,
} from './playback-samples.ts';

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
  // From a browser whose clock was wrong meanwhile.
  expect((await play(visitor, { position: '300', age: '2000000000' })).status).toBe(204);
});

it('a play counts even if the clock of the app was reset to 1970', async () => {
  const server = await openFilled();
  await upload(server, { action: 'play', started: 0, position: 900, total: 3600, timestamp: '1970-01-01T00:00:00' });
  expect((await (await signIn(server)).get(EPISODE)).html).toContain('#t=900"');
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
    ['that is the least after it was marked as new', 'https://media.example/2.mp3', [{ action: 'new' }], 1],
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
    expect((await visitor.get(PODCAST)).html).toContain('Marked as new');
    const { actions } = await download(server, timestamp);
    expect(actions.map(({ action }) => action)).toEqual(['play', 'new', 'play', 'new']);
    const latest = await server.request('GET', '/api/2/episodes/bob.json?aggregated=true', { auth });
    expect(((await latest.json()) as { actions: Action[] }).actions).toMatchObject([{ action: 'new', device: 'web' }]);
  });

  it('are kept for an episode that is known neither here nor to an app, by its GUID', async () => {
    const server = await openFilled();
    await press(await signIn(server), 'played', 'tag:x,2023:1');
    expect((await download(server)).actions).toMatchObject([{ episode: 'tag:x,2023:1', guid: 'tag:x,2023:1' }]);
  });

  it('lead only to pages of this site', async () => {
    const server = await openFilled();
    const fields = { url: MEDIA, next: '.evil.example/' };
    const done = await (await signIn(server)).send(PODCAST, fields, `${AT}/episode/played`);
    expect(done.location).toBe(`${AT}/`);
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
  expect((await visitor.get(PODCAST)).html).toContain('1 h · Favourite');
  await press(visitor, 'favorite/remove');
  expect(await favorites()).toEqual([]);
  const scope = `/api/2/settings/bob/episode.json?podcast=${FEED}&episode=${MEDIA}`;
  await server.request('POST', scope, { auth, body: { set: { is_favorite: true, note: 'x' } } });
  expect((await visitor.get(EPISODE)).html).toContain('Remove from favourites');
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
    expect(textOf((await visitor.get('/')).html)).toContain('59 min left · Web browser');
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
    [{ position: '1', podcast: 'x' }, '"podcast" and "url" must name the episode'],
    [{ position: '1', total: '9999999999' }, '"total" must be whole seconds'],
    [{ position: '1', url: '' }, '"podcast" and "url" must name the episode'],
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
    expect(answer.headers.get('location')).toBe(`${AT}/login?next=%2Fepisode&unsaved=form`);
    expect((await download(server)).actions).toEqual([]);
  });

  it.each([
    [`${AT}/episode?podcast=a&url=b`, '/episode?podcast=a&url=b'],
    [`${AT}.evil.example/episode?podcast=a&url=b`, '/episode'],
    ['https://elsewhere.example/episode?podcast=a&url=b', '/episode'],
  ])('after a login, leads back to the page that the form was on: %s', async (referer, next) => {
    const server = await openFilled();
    const answer = await server.request('POST', '/episode/played', { headers: { referer } });
    expect(answer.headers.get('location')).toBe(`${AT}/login?next=${encodeURIComponent(next)}&unsaved=form`);
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
  expect(textOf(html).match(/· Web browser/g)?.length).toBe(10);
  expect(textOf(html).match(/· phone/g)?.length).toBe(5);
});
