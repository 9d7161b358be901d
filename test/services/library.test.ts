import { expect, it } from 'vitest';
import { selectPodcasts } from '../../src/services/sync/library.ts';
import { recordFeed } from '../podcasts.ts';
import { openTestServer } from '../server.ts';

const A = 'https://podcasts.example/a';
const MOVED = 'https://podcasts.example/moved';

/** The library of bob, who subscribes on his phone to a feed that has moved, and has listened before and after that. */
async function openMoved() {
  const { services, storage } = await openTestServer();
  const { id } = (await services.accounts.findByName('bob'))!;
  await services.subscriptions.upload(id, 'phone', { add: [A], remove: [] });
  await recordFeed(storage, A, {}, [{ url: `${A}/1`, releasedAt: 1_600_000_000 }], { movedTo: MOVED });
  const plays = [A, A, MOVED].map((podcast, at) => ({
    podcast,
    episode: `${podcast}/${at}`,
    action: 'play',
    started: 0,
    position: 60,
    total: 100,
  }));
  await services.episodes.upload(id, plays, 2);
  return { library: services.library, subscriptions: services.subscriptions, id };
}

it('has what is known of a feed that has moved, under the address of the account', async () => {
  const { library, id } = await openMoved();
  const { podcasts } = await library.contents(id, { withListening: true });
  expect(podcasts).toMatchObject([{ url: A, listened: 180, newest: { releasedAt: 1_600_000_000 } }]);
  expect(await library.filterSubscribed(id, [MOVED])).toEqual(new Set([MOVED]));
});

it('imports a podcast that only some of the devices have to the others', async () => {
  const { library, subscriptions, id } = await openMoved();
  await subscriptions.upload(id, 'tablet', { add: [], remove: [] });
  const report = await library.import(id, [{ url: A }], { dryRun: false });
  expect(report).toMatchObject({ added: [{ url: A }], present: [] });
  expect(await subscriptions.list(id, 'tablet')).toEqual([A]);
});

const INVALID_HOST = 'the host or port of the address is invalid, or the address has more than 8192 characters';

it.each([
  ['', 'the address is empty'],
  ['ftp://podcasts.example/a', 'a feed address must begin with http:// or https://'],
  ['HTTPS://podcasts.example/a\u0007', 'the address contains a control character'],
  ['feed://podcasts.example:99999/a', INVALID_HOST],
  [' https://:x/\n', INVALID_HOST],
])('refuses the address %j: %s', async (address, reason) => {
  const { library, id } = await openMoved();
  await expect(library.subscribe(id, address)).rejects.toThrow(reason);
  const { refused } = await library.import(id, [{ url: address }], { dryRun: true });
  expect(refused).toEqual([{ url: address, reason }]);
});

it('lists podcasts without an episode by name, after the others', () => {
  const podcasts = ['d', 'c', 'b', 'a'].map((title) => ({
    title,
    url: `https://podcasts.example/${title}`,
    devices: [],
    ...(title > 'b' && { newest: { title, releasedAt: 1_600_000_000 } as never }),
  }));
  const ordered = selectPodcasts(podcasts, { text: '', order: 'newest' });
  expect(ordered.map(({ title }) => title)).toEqual(['c', 'd', 'a', 'b']);
});

it('filters podcasts by the first 20 words only', () => {
  const podcasts = ['one two', 'one'].map((title) => ({
    title,
    url: `https://podcasts.example/${title}`,
    devices: [],
  }));
  const select = (text: string) => selectPodcasts(podcasts, { text, order: 'name' }).map(({ title }) => title);
  expect(select(`${'one '.repeat(19)}two`)).toEqual(['one two']);
  expect(select(`${'one '.repeat(20)}two`)).toEqual(['one', 'one two']);
});

it.each([
  ['cafe', 'Café'],
  ['CAFÉ', 'Cafe\u0301 noir'],
  ['cafe\u0301', 'Café'],
  ['istanbul', 'İstanbul'],
  ['strasse', 'Große Straße'],
  ['ﬁnance', 'Finance'],
])('finds %j in %j, as the search of the directory does', (text, title) => {
  const podcast = { title, url: 'https://podcasts.example/a', devices: [] };
  expect(selectPodcasts([podcast], { text, order: 'name' })).toEqual([podcast]);
});
