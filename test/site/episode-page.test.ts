import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openVisitor, signIn } from './browser.ts';
import {
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
    expect([html.includes('<audio'), html.includes('Add to favourites')]).toEqual([isMedia, isMedia]);
    const { timestamp } = await download(server);
    await press(visitor, 'played', episode, path);
    expect((await download(server, timestamp)).actions).toMatchObject([
      { podcast, episode, position: 600, total: 600 },
    ]);
    expect((await visitor.get(path)).html).toContain('Played · 10 min');
  });
});
