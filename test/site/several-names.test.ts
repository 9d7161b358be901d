import { describe, expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { ok, type TestServer } from '../server.ts';
import { decode, signIn, type Visitor } from './browser.ts';
import { textOf } from './listener.ts';
import { AT, auth, download, episodePath, FEED, openFilled, press } from './playback-samples.ts';

/* An episode that has moved, with its podcast: apps still know it by other names. */

const MOVED = 'https://feeds.example/moved.xml';
const CURRENT = 'https://cdn.example/1.mp3';
/** An address of its own for each app, as some publishers have. The directory does not know it. */
const SIGNED = 'https://media.example/1.mp3?token=bob';
const PAGE = episodePath(CURRENT, MOVED);

interface Name {
  podcast: string;
  episode: string;
  guid?: string;
}
const current: Name = { podcast: MOVED, episode: CURRENT };
const others: [string, Name][] = [
  ['its former URL', { podcast: MOVED, episode: 'https://media.example/1.mp3' }],
  ['the former URL of its podcast', { podcast: FEED, episode: CURRENT }],
  ['its GUID beside another URL', { podcast: MOVED, episode: SIGNED, guid: 'one' }],
  ['only its GUID', { podcast: FEED, episode: 'one' }],
];

async function openMoved(): Promise<TestServer> {
  const server = await openFilled();
  const episodes = [{ url: CURRENT, guid: 'one', title: 'First', releasedAt: 1_690_000_000, duration: 3600 }];
  await recordFeed(server.storage, FEED, { title: 'Talk' }, episodes, { movedTo: MOVED });
  return server;
}

const act = (server: TestServer, name: Name, action: string, day: number, position?: number): Promise<unknown> => {
  const isUrl = name.episode.startsWith('https:');
  const timestamp = `2023-11-0${day}T10:00:00`;
  const times = position !== undefined && { position, ...(isUrl && { started: 0, total: 3600 }) };
  const clock = position !== undefined && { position: new Date(position * 1000).toISOString().slice(11, 19) };
  const body = { ...name, action, timestamp, ...(isUrl ? times : clock) };
  return ok(server, 'POST', `/api/${isUrl ? 2 : 1}/episodes/bob.json`, [body]);
};

const inProgress = async (visitor: Visitor): Promise<string> =>
  textOf((await visitor.get('/')).html.split('<h2>New episodes</h2>')[0]!);

const linksTo = (html: string, title = 'First'): string[] =>
  Array.from(html.matchAll(/href="([^"]*\/episode\?[^"]*)"[^>]*>([^<]*)</g))
    .filter(([, , text]) => text === title)
    .map(([, link]) => decode(link!));

describe.each(others)('an episode that an app names by %s', (_, other) => {
  it.each([
    ['here', current, other],
    ['there', other, current],
  ])('is finished on all pages if it was finished %s', async (_where, last, first) => {
    const server = await openMoved();
    const visitor = await signIn(server);
    await act(server, first, 'play', 1, 600);
    expect(await inProgress(visitor)).toContain('First Talk');
    await act(server, last, 'play', 2, 3600);
    expect(await inProgress(visitor)).not.toContain('First');
    expect(textOf((await visitor.get(`/podcast?url=${encodeURIComponent(MOVED)}`)).html)).toContain('Played · 1 h');
    const { html } = await visitor.get(PAGE);
    expect(textOf(html)).toMatch(/Played · 1 h .* 2 Nov 2023, 10:00 UTC .* 1 Nov 2023, 10:00 UTC/);
  });

  it('is in progress once, where it was played last', async () => {
    const server = await openMoved();
    const visitor = await signIn(server);
    await act(server, current, 'play', 1, 600);
    await act(server, other, 'play', 2, 1200);
    expect((await inProgress(visitor)).match(/First/g)).toHaveLength(1);
    expect((await visitor.get(PAGE)).html).toContain(`src="${CURRENT}#t=1200"`);
    await act(server, current, 'new', 3);
    expect(await inProgress(visitor)).toContain('No episode is in progress.');
  });

  it('resumes after it was deleted under another name', async () => {
    const server = await openMoved();
    const visitor = await signIn(server);
    await act(server, current, 'play', 1, 600);
    await act(server, other, 'delete', 2);
    expect(await inProgress(visitor)).toContain('No episode is in progress.');
    expect((await visitor.get('/')).html).not.toContain('>First<');
    const { html } = await visitor.get(PAGE);
    expect(html).toContain(`src="${CURRENT}#t=600"`);
    expect(html).toContain('50 min left · Deleted');
  });

  it('has its title in the history and on the home page, with a link to its page', async () => {
    const server = await openMoved();
    const visitor = await signIn(server);
    await act(server, other, 'play', 1, 600);
    for (const path of ['/history', '/']) {
      const links = linksTo((await visitor.get(path)).html);
      expect(links, path).toEqual([AT + episodePath(CURRENT, other.podcast)]);
      expect((await visitor.get(links[0]!)).html).toContain(`src="${CURRENT}#t=600"`);
    }
  });

  it('has its page also under that name, whose marks reach the app under it', async () => {
    const server = await openMoved();
    const visitor = await signIn(server);
    await act(server, other, 'play', 1, 600);
    const path = episodePath(other.episode, other.podcast);
    expect((await visitor.get(path)).html).toContain(`src="${CURRENT}#t=600"`);
    const { timestamp } = await download(server);
    await press(visitor, 'played', CURRENT, path);
    const { podcast, episode } = other;
    expect((await download(server, timestamp)).actions).toMatchObject([{ podcast, episode, guid: 'one' }]);
    expect(textOf((await visitor.get(path)).html)).toContain('Played · 1 h');
  });

  it('is a favourite however it was marked', async () => {
    const server = await openMoved();
    const visitor = await signIn(server);
    await act(server, other, 'play', 1, 600);
    await press(visitor, 'favorite', CURRENT, PAGE);
    expect((await visitor.get(PAGE)).html).toContain('Remove from favourites');
    expect(linksTo((await visitor.get('/favorites')).html)).toHaveLength(1);
    const favorites = async () => (await server.request('GET', '/api/2/favorites/bob.json', { auth })).json();
    expect(await favorites()).toMatchObject([{ title: 'First' }]);
    await press(visitor, 'favorite/remove', CURRENT, PAGE);
    expect(await favorites()).toEqual([]);
  });
});

it('a mark reaches an app under the name that was played last', async () => {
  const server = await openMoved();
  const visitor = await signIn(server);
  const [, former] = others[0]!;
  await act(server, current, 'play', 1, 600);
  await act(server, former, 'play', 2, 1200);
  const { timestamp } = await download(server);
  await press(visitor, 'played', CURRENT, PAGE);
  expect((await download(server, timestamp)).actions).toMatchObject([former]);
});

it('forms of a page that was opened before the media URL moved are for the episode', async () => {
  const server = await openMoved();
  const visitor = await signIn(server);
  const [, former] = others[0]!;
  await press(visitor, 'played', former.episode, PAGE);
  expect((await download(server)).actions).toMatchObject([{ podcast: FEED, episode: CURRENT }]);
  await press(visitor, 'favorite', CURRENT, PAGE);
  await press(visitor, 'favorite/remove', former.episode, PAGE);
  expect((await visitor.get('/favorites')).html).toContain('Nothing yet.');
});

it('an episode that its app knows by an address of its own keeps its GUID in marks, and can be a favourite, if its feed is unknown', async () => {
  const server = await openMoved();
  const visitor = await signIn(server);
  const name = { podcast: 'https://feeds.example/unknown.xml', episode: SIGNED, guid: 'one' };
  await act(server, name, 'play', 1, 600);
  const { timestamp } = await download(server);
  await press(visitor, 'played', SIGNED, episodePath(SIGNED, name.podcast));
  expect((await download(server, timestamp)).actions).toMatchObject([name]);
  await press(visitor, 'favorite', SIGNED, episodePath(SIGNED, name.podcast));
  expect(linksTo((await visitor.get('/favorites')).html, SIGNED)).toEqual([AT + episodePath(SIGNED, name.podcast)]);
});

it('a page under an address that only an action has is for the owner of the action', async () => {
  const server = await openMoved();
  await act(server, { podcast: MOVED, episode: SIGNED, guid: 'one' }, 'play', 1, 600);
  const path = episodePath(SIGNED, MOVED);
  expect((await (await signIn(server)).get(path)).html).toContain('<h1>First</h1>');
  expect((await (await signIn(server, 'eve')).get(path)).status).toBe(404);
});
