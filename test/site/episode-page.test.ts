import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openVisitor, signIn } from './browser.ts';
import { textOf } from './listener.ts';
import {
  AT,
  auth,
  FEED,
  MEDIA,
  PODCAST,
  episodePath,
  EPISODE,
  openFilled,
  upload,
  download,
  press,
  play,
} from './playback-samples.ts';

const MOVED = 'https://feeds.example/moved.xml';

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

  it.each([
    ['clip.mp4', 'video'],
    ['CLIP.M4V?token=1', 'video'],
    ['talk.m4a', 'audio'],
    ['talk.mp3?next=clip.mp4', 'audio'],
  ])('shows the picture of a video: %s', async (file, element) => {
    const server = await openFilled();
    const url = `https://media.example/${file}`;
    await recordFeed(server.storage, FEED, { title: 'Talk' }, [{ url, title: 'Moving' }]);
    const { html } = await openVisitor(server).get(episodePath(url));
    expect(html).toContain(`<${element} controls preload="none" src="${url}">`);
  });

  it('shows what happened to it on which device, and offers the marks that change something', async () => {
    const server = await openFilled();
    const visitor = await signIn(server);
    const read = async (): Promise<string> => textOf((await visitor.get(EPISODE)).html);
    const before = await read();
    expect(before).toContain('Mark as played Add to favourites');
    expect(before).not.toMatch(/Mark as new|History of this podcast/);
    await server.request('POST', '/api/2/devices/bob/phone.json', { auth, body: { caption: 'Pixel' } });
    await upload(server, { action: 'play', position: 600, timestamp: '2023-01-01T10:00:00' });
    const played = await read();
    expect(played).toContain('Mark as played Mark as new Add to favourites');
    expect(played).toMatch(/Played to 10:00 1 Jan 2023, 10:00 UTC · Pixel History of this podcast/);
    await upload(server, { action: 'new', timestamp: '2023-01-01T11:00:00' });
    const renewed = await read();
    expect(renewed).not.toContain('Mark as new');
    expect(renewed).toMatch(
      /Marked as new 1 Jan 2023, 11:00 UTC · Pixel Played to 10:00 1 Jan 2023, 10:00 UTC · Pixel/,
    );
    const { html } = await visitor.get(EPISODE);
    expect(html).toContain(`href="${AT}/history?podcast=${encodeURIComponent(FEED)}"`);
  });

  it('links to its website, and gives its picture to the media controls and its length to the player', async () => {
    const server = await openFilled();
    const website = 'https://talk.example/1';
    const logoUrl = 'https://talk.example/logo.png';
    await recordFeed(server.storage, FEED, { title: 'Talk', logoUrl }, [{ url: MEDIA, website, duration: 3600 }]);
    const { html } = await (await signIn(server)).get(EPISODE);
    expect(html).toContain(`<a href="${website}" rel="nofollow noopener">Website</a>`);
    expect(html).toMatch(/data-artwork="http:\/\/localhost\/logo\/256\/[\da-f]+"/);
    expect(html).toContain('name="total" value="3600"');
  });

  it('resumes even if an app adds a fragment to the address of the media file', async () => {
    const server = await openFilled();
    const episode = 'https://media.example/3.mp3#part';
    await upload(server, { episode, action: 'play', started: 0, position: 600, total: 3600 });
    const { html } = await (await signIn(server)).get(episodePath(episode));
    expect(html).toContain('src="https://media.example/3.mp3#t=600"');
    expect(html).toContain('name="url" value="https://media.example/3.mp3"');
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
    const newMedia = 'https://cdn.example/1.mp3';
    const state = { url: FEED, intervalSeconds: 3600, failures: 0, nextAt: 1_700_259_200, fetchedAt: 1_700_000_000 };
    await recordFeed(server.storage, FEED, { title: 'Talk' }, [{ url: newMedia, guid: 'one', title: 'First' }], {
      state,
      movedTo: MOVED,
    });
    const visitor = await signIn(server);
    const path = episodePath(newMedia, MOVED);
    expect((await visitor.get(path)).html).toContain(`src="${newMedia}#t=600"`);
    const { timestamp } = await download(server);
    await play(visitor, { started: '600', position: '700', total: '3600' }, path);
    const { actions } = await download(server, timestamp);
    expect(actions).toMatchObject([{ podcast: FEED, episode: MEDIA, guid: 'one', device: 'web', position: 700 }]);
    expect((await visitor.get(path)).html).toContain(`src="${newMedia}#t=700"`);
    const podcast = await visitor.get(`/podcast?url=${encodeURIComponent(MOVED)}`);
    expect(podcast.html).toContain(`name="podcast" value="${FEED}"`);
    expect(podcast.html).toContain('48 min left');
  });

  it.each(['former', 'current'])(
    'shows the newest state, also if it is under the %s address of the podcast',
    async (kind) => {
      const server = await openFilled();
      await recordFeed(server.storage, FEED, { title: 'Talk' }, [{ url: MEDIA }], { movedTo: MOVED });
      const [newer, older] = kind === 'former' ? [FEED, MOVED] : [MOVED, FEED];
      const play = { action: 'play', started: 0, total: 3600 };
      await upload(
        server,
        { ...play, podcast: newer, position: 700, timestamp: '2023-01-01T11:00:00' },
        { ...play, podcast: older, position: 600, timestamp: '2023-01-01T10:00:00' },
      );
      const visitor = await signIn(server);
      for (const podcast of [FEED, MOVED]) {
        expect((await visitor.get(episodePath(MEDIA, podcast))).html).toContain(`src="${MEDIA}#t=700"`);
      }
      const { timestamp } = await download(server);
      await press(visitor, 'played', MEDIA, episodePath(MEDIA, MOVED));
      expect((await download(server, timestamp)).actions).toMatchObject([{ podcast: newer, episode: MEDIA }]);
    },
  );

  it('uploads marks under the addresses that an app has used, or under which it subscribes', async () => {
    const server = await openFilled();
    const media = ['https://cdn.example/1.mp3', 'https://cdn.example/2.mp3'];
    await upload(server, { action: 'download', episode: MEDIA, guid: 'one' });
    const episodes = media.map((url, at) => ({ url, guid: at === 0 ? 'one' : 'two' }));
    await recordFeed(server.storage, FEED, { title: 'Talk' }, episodes, { movedTo: MOVED });
    const visitor = await signIn(server);
    const { timestamp } = await download(server);
    for (const url of media) await press(visitor, 'played', url, episodePath(url, MOVED));
    expect((await download(server, timestamp)).actions).toMatchObject([
      { podcast: FEED, episode: MEDIA, guid: 'one' },
      { podcast: FEED, episode: media[1], guid: 'two' },
    ]);
  });

  it('lists the newest 50 actions', async () => {
    const server = await openFilled();
    const actions = Array.from({ length: 51 }, (_, n) => ({
      action: 'play',
      position: n + 1,
      timestamp: `2023-01-01T10:00:${String(n).padStart(2, '0')}`,
    }));
    await upload(server, ...actions);
    const text = textOf((await (await signIn(server)).get(EPISODE)).html);
    expect(text.match(/Played to 0:\d\d/g)).toEqual(
      actions
        .slice(1)
        .map(({ position }) => `Played to 0:${String(position).padStart(2, '0')}`)
        .toReversed(),
    );
  });

  it('is a favourite only of its own podcast, under all addresses of that', async () => {
    const server = await openFilled();
    const other = 'https://feeds.example/other.xml';
    await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [FEED, other] });
    await recordFeed(server.storage, other, { title: 'Other' }, [{ url: MEDIA, title: 'First' }]);
    await recordFeed(server.storage, FEED, { title: 'Talk' }, [{ url: MEDIA }], { movedTo: MOVED });
    const scope = (feed: string): string => `/api/2/settings/bob/episode.json?podcast=${feed}&episode=${MEDIA}`;
    const favorite = { auth, body: { set: { is_favorite: true } } };
    for (const feed of [FEED, MOVED]) await server.request('POST', scope(feed), favorite);
    const visitor = await signIn(server);
    const page = async (feed: string): Promise<string> => (await visitor.get(episodePath(MEDIA, feed))).html;
    expect(await page(other)).toContain('Add to favourites');
    expect(await page(MOVED)).toContain('Remove from favourites');
    await press(visitor, 'favorite/remove', MEDIA, episodePath(MEDIA, MOVED));
    expect(await page(MOVED)).toContain('Add to favourites');
    expect(await (await server.request('GET', '/api/2/favorites/bob.json', { auth })).json()).toEqual([]);
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
    expect([html.includes('<audio'), html.includes('Add to favourites')]).toEqual([isMedia, isMedia]);
    const { timestamp } = await download(server);
    await press(visitor, 'played', episode, path);
    expect((await download(server, timestamp)).actions).toMatchObject([
      { podcast, episode, position: 600, total: 600 },
    ]);
    expect((await visitor.get(path)).html).toContain('Played · 10 min');
  });
});
