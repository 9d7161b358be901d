import { expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';

const auth = 'bob:secret';
const FAVORITES = '/api/2/favorites/bob.json';
const feed = 'http://example.org/feed';

async function set({ request }: TestServer, podcast: string, episode: string, body: object): Promise<void> {
  const query = new URLSearchParams({ podcast, episode });
  const answer = await request('POST', `/api/2/settings/bob/episode.json?${query}`, { auth, body });
  expect(answer.status).toBe(200);
}

it('are the episodes with the setting is_favorite true', async () => {
  const server = await openTestServer();
  const favorites = async (): Promise<unknown> => (await server.request('GET', FAVORITES, { auth })).json();
  expect(await favorites()).toEqual([]);

  await set(server, 'http://example.org/z', 'http://example.org/1.mp3', { set: { is_favorite: true } });
  await set(server, feed, 'http://example.org/2.mp3?a=1&b', { set: { is_favorite: true, note: 'x' } });
  await set(server, feed, 'http://example.org/1.mp3', { set: { is_favorite: true } });
  await set(server, feed, 'http://example.org/3.mp3', { set: { is_favorite: 'true' } });
  await set(server, feed, 'http://example.org/4.mp3', { set: { is_favorite: false } });
  await set(server, feed, 'http://example.org/5.mp3', { set: { is_favorite: true } });
  await set(server, feed, 'http://example.org/5.mp3', { remove: ['is_favorite'] });
  const podcast = `/api/2/settings/bob/podcast.json?podcast=${feed}`;
  await server.request('POST', podcast, { auth, body: { set: { is_favorite: true } } });

  expect(await favorites()).toEqual([
    {
      title: 'http://example.org/1.mp3',
      url: 'http://example.org/1.mp3',
      podcast_title: feed,
      podcast_url: feed,
      description: '',
      website: '',
      released: '',
      svc_link: expect.stringContaining('http://localhost/episode?'),
      mygpo_link: expect.stringContaining('http://localhost/episode?'),
    },
    expect.objectContaining({ podcast_url: feed, url: 'http://example.org/2.mp3?a=1&b' }),
    expect.objectContaining({ podcast_url: 'http://example.org/z', url: 'http://example.org/1.mp3' }),
  ]);
});

it('are only for their owner', async () => {
  const { request } = await openTestServer();
  expect((await request('GET', FAVORITES)).status).toBe(401);
  expect((await request('GET', FAVORITES, { auth: 'eve:secret' })).status).toBe(403);
  expect((await request('GET', '/api/2/favorites/nobody.json', { auth })).status).toBe(403);
});

it('contain what is known about the episode', async () => {
  const server = await openTestServer();
  const episode = 'http://example.org/1.mp3';
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [feed] });
  const known = { url: episode, title: 'One', description: 'The first', website: 'http://example.org/1' };
  await recordFeed(server.storage, feed, { title: 'A feed' }, [{ ...known, releasedAt: 1_700_000_000 }]);
  await set(server, feed, episode, { set: { is_favorite: true } });
  expect(await (await server.request('GET', FAVORITES, { auth })).json()).toMatchObject([
    { ...known, podcast_title: 'A feed', podcast_url: feed, released: '2023-11-14T22:13:20' },
  ]);
});

it('keep their URLs when their podcast moves', async () => {
  const server = await openTestServer();
  const episode = { url: 'http://example.org/1.mp3', guid: '1', title: 'One' };
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [feed] });
  await set(server, feed, episode.url, { set: { is_favorite: true } });
  await recordFeed(server.storage, feed, { title: 'A feed' }, [episode], { movedTo: 'http://example.org/moved' });
  await recordFeed(server.storage, feed, { title: 'A feed' }, [{ ...episode, url: 'http://example.org/new.mp3' }]);
  expect(await (await server.request('GET', FAVORITES, { auth })).json()).toMatchObject([
    { title: 'One', url: episode.url, podcast_title: 'A feed', podcast_url: feed },
  ]);
});
