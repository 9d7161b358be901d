import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';
import type { Visitor } from './browser.ts';

export const auth = 'bob:secret';
export const FEED = 'https://feeds.example/talk.xml';
export const MEDIA = 'https://media.example/1.mp3';
export const PODCAST = `/podcast?url=${encodeURIComponent(FEED)}`;
export const episodePath = (media: string, feed = FEED): string =>
  `/episode?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(media)}`;
export const EPISODE = episodePath(MEDIA);
export const AT = 'http://localhost';

export interface Action {
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
export async function openFilled(options = {}): Promise<TestServer> {
  const server = await openTestServer(options);
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: [FEED] });
  await recordFeed(server.storage, FEED, { title: 'Talk' }, [
    { url: MEDIA, guid: 'one', title: 'First', releasedAt: 1_690_000_000, duration: 3600 },
    { url: 'https://media.example/2.mp3', title: 'Second', releasedAt: 1_680_000_000 },
  ]);
  return server;
}

/** An upload of an app; returns the mark. */
export async function upload(
  { request }: TestServer,
  ...actions: (Partial<Action> & { action: string })[]
): Promise<number> {
  const body = actions.map((action) => ({ podcast: FEED, episode: MEDIA, device: 'phone', ...action }));
  const answer = await request('POST', '/api/2/episodes/bob.json', { auth, body });
  return ((await answer.json()) as { timestamp: number }).timestamp;
}

/** The actions that an app receives. */
export async function download({ request }: TestServer, since = 0) {
  const answer = await request('GET', `/api/2/episodes/bob.json?since=${since}`, { auth });
  return (await answer.json()) as { actions: Action[]; timestamp: number };
}

export const press = (visitor: Visitor, button: string, url = MEDIA, page = EPISODE) =>
  visitor.send(page, { url }, `${AT}/episode/${button}`);

/** An upload of the player of a page. */
export const play = (visitor: Visitor, times: Record<string, string>, page = EPISODE) =>
  visitor.send(page, times, `${AT}/episode/progress`);
