import { expect } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer, type TestServerOptions } from '../server.ts';

/* Uploads of an app of bob. The clock of a test server is set to 2023-11-14T22:13:20Z, a Tuesday. */

const auth = 'bob:secret';
export const feed = (name: string): string => `http://feeds.example/${name}`;
export const media = (name: string, number: number): string => `http://media.example/${name}/${number}.mp3`;

interface Sent {
  podcast?: string;
  number?: number;
  action?: string;
  device?: string;
  timestamp: string;
  started?: number;
  position?: number;
  total?: number;
}

export async function upload({ request }: TestServer, ...actions: readonly Sent[]): Promise<void> {
  const body = actions.map(({ podcast = 'a', number = 1, action = 'play', ...more }) => ({
    podcast: feed(podcast),
    episode: media(podcast, number),
    action,
    ...more,
  }));
  expect((await request('POST', '/api/2/episodes/bob.json', { auth, body })).status).toBe(200);
}

export async function subscribe({ request }: TestServer, device: string, ...names: string[]): Promise<void> {
  const body = names.map(feed);
  expect((await request('PUT', `/subscriptions/bob/${device}.json`, { auth, body })).status).toBe(200);
}

/** A server on which bob's phone subscribes to feeds `a` and `b`, each with episodes 1 to 3, of which 3 is the newest. */
export async function openListening(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await openTestServer(options);
  await subscribe(server, 'phone', 'a', 'b');
  for (const name of ['a', 'b']) {
    const episodes = [1, 2, 3].map((number) => ({
      url: media(name, number),
      title: `${name} ${number} <b>`,
      releasedAt: server.clock.now - 86_400 * (10 - number) - (name === 'b' ? 1 : 0),
    }));
    await recordFeed(server.storage, feed(name), { title: `Show "${name}"` }, episodes);
  }
  return server;
}

/** The text of a page. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
