import { expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import type { TestServer } from '../server.ts';
import { decode, openVisitor, signIn } from './browser.ts';
import { textOf } from './listener.ts';
import { AT, auth, EPISODE, FEED, MEDIA, openFilled, press } from './playback-samples.ts';

const SECOND = 'https://media.example/2.mp3';

/** As an app marks it. */
async function favor({ request }: TestServer, podcast: string, episode: string, who = auth): Promise<void> {
  const scope = new URLSearchParams({ podcast, episode }).toString();
  const path = `/api/2/settings/${who.split(':')[0]}/episode.json?${scope}`;
  expect((await request('POST', path, { auth: who, body: { set: { is_favorite: true } } })).status).toBe(200);
}

/** Titles and addresses of the links in the list. */
const linksOn = (html: string): [title: string, path: string][] =>
  Array.from(/<ul class="items">[^]*<\/ul>/.exec(html)![0].matchAll(/href="([^"]*)"[^>]*>([^<]*)</g), (link) => [
    link[2]!,
    decode(link[1]!),
  ]);

it('lists the episodes that were marked in an app or in the browser, with links, until they are removed', async () => {
  const server = await openFilled();
  const visitor = await signIn(server);
  await favor(server, FEED, SECOND);
  await press(visitor, 'favorite');
  const { html } = await visitor.get('/favorites');
  const podcast = ['Talk', `${AT}/podcast?url=${encodeURIComponent(FEED)}`];
  const second = EPISODE.replace(encodeURIComponent(MEDIA), encodeURIComponent(SECOND));
  expect(linksOn(html)).toEqual([['First', AT + EPISODE], podcast, ['Second', AT + second], podcast]);
  expect(textOf(html)).toContain('First Talk · 22 Jul 2023 Second Talk · 28 Mar 2023');

  await press(visitor, 'favorite/remove');
  expect(linksOn((await visitor.get('/favorites')).html)).toEqual([['Second', AT + second], podcast]);
});

it('lists the newest first, and an episode once that is marked under two addresses of its podcast', async () => {
  const server = await openFilled();
  const moved = 'https://feeds.example/a-moved.xml';
  await favor(server, FEED, SECOND);
  await favor(server, FEED, MEDIA);
  await recordFeed(server.storage, FEED, { title: 'Talk' }, [], { movedTo: moved });
  await favor(server, moved, SECOND);
  await favor(server, moved, 'https://media.example/unknown.mp3');
  const titles = linksOn((await (await signIn(server)).get('/favorites')).html).map(([title]) => title);
  expect(titles).toEqual(['First', 'Talk', 'Second', 'Talk', 'https://media.example/unknown.mp3', 'Talk']);
});

it('lists an episode that an app knows by its GUID only, under its media URL', async () => {
  const server = await openFilled();
  const play = {
    podcast: FEED,
    episode: 'one',
    action: 'play',
    timestamp: '2023-11-13T10:00:00',
    position: '00:10:00',
  };
  expect((await server.request('POST', '/api/1/episodes/bob.json', { auth, body: [play] })).status).toBe(200);
  const visitor = await signIn(server);
  expect((await press(visitor, 'favorite')).status).toBe(303);
  const [favorite] = linksOn((await visitor.get('/favorites')).html);
  expect(favorite).toEqual(['First', AT + EPISODE]);
});

it('can be reached from the history, even if that is empty, and from the page of a favourite', async () => {
  const server = await openFilled();
  const visitor = await signIn(server);
  expect((await visitor.get('/history')).html).toContain(`<a href="${AT}/favorites">Favourite episodes</a>`);
  const link = `<a href="${AT}/favorites">Favourite</a>`;
  expect((await visitor.get(EPISODE)).html).not.toContain(link);
  await press(visitor, 'favorite');
  expect((await visitor.get(EPISODE)).html).toContain(link);
  await press(visitor, 'played');
  expect((await visitor.get('/history')).html).toContain(`<a href="${AT}/favorites">Favourite episodes</a>`);
});

it('lists an episode of an unknown podcast, which has a page', async () => {
  const server = await openFilled();
  await favor(server, 'https://feeds.example/unknown', MEDIA);
  const visitor = await signIn(server);
  const [episode, podcast] = linksOn((await visitor.get('/favorites')).html);
  expect(episode![0]).toBe(MEDIA);
  expect((await visitor.get(episode![1])).html).toContain('Remove from favourites');
  expect(podcast).toEqual(['https://feeds.example/unknown', 'https://feeds.example/unknown']);
});

it('shows the titles of a private podcast only to those who subscribe to it', async () => {
  const server = await openFilled();
  const feed = 'https://feeds.example/private?token=0123456789abcdef0123456789abcdef';
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [FEED, feed] });
  await recordFeed(server.storage, feed, { title: 'Private' }, [{ url: MEDIA, title: 'Between us' }]);
  for (const who of [auth, 'eve:secret']) await favor(server, feed, MEDIA, who);
  expect(textOf((await (await signIn(server)).get('/favorites')).html)).toContain('Between us Private');
  const { status, html } = await (await signIn(server, 'eve')).get('/favorites');
  expect([status, linksOn(html).map(([title]) => title)]).toEqual([200, [MEDIA, feed]]);
});

it('shows many in pages', async () => {
  const server = await openFilled();
  for (let n = 100; n < 151; n += 1) await favor(server, FEED, `https://media.example/${n}.mp3`);
  const visitor = await signIn(server);
  const { html } = await visitor.get('/favorites');
  expect(html).toContain('<a href="?page=2" rel="next">Next page</a>');
  expect(linksOn(html)).toHaveLength(2 * 50);
  expect(linksOn((await visitor.get('/favorites?page=2')).html)[0]![0]).toBe('https://media.example/150.mp3');
  expect((await visitor.get('/favorites?page=3')).status).toBe(404);
});

it('is only for its owner, and says how to add the first one', async () => {
  const server = await openFilled();
  await favor(server, FEED, MEDIA);
  const { status, location } = await openVisitor(server).get('/favorites');
  expect([status, location]).toEqual([303, `${AT}/login?next=%2Ffavorites`]);
  const { html } = await (await signIn(server, 'eve')).get('/favorites');
  expect(textOf(html)).toContain('Nothing yet. Open an episode from your subscriptions and choose “Add to favourites”');
});
