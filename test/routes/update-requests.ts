import { ok, type TestServer } from '../server.ts';

export const A = 'http://example.org/a';
export const B = 'http://example.org/b';
export const UPDATES = '/api/2/updates/bob/phone.json';
export const ACTIONS = '/api/2/episodes/bob.json';

export const media = (n: number): string => `http://example.org/${n}.mp3`;
/** Newest first, as in feeds. */
export const episodes = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    url: media(i + 1),
    guid: `g${i + 1}`,
    releasedAt: 1_600_000_000 + i,
  })).toReversed();

export const subscribe = (server: TestServer, add: string[], remove: string[] = [], device = 'phone'): Promise<any> =>
  ok(server, 'POST', `/api/2/subscriptions/bob/${device}.json`, { add, remove });

export const act = (
  server: TestServer,
  n: number,
  action: string,
  timestamp: string,
  podcast = A,
  more = {},
): Promise<any> => ok(server, 'POST', ACTIONS, [{ podcast, episode: media(n), action, timestamp, ...more }]);

/** Waits longer than the time by which a shared storage lowers the mark, so that nothing is repeated. */
export const settle = ({ clock }: TestServer): void => void (clock.now += 60);

/** Number and status of each episode. */
export const news = (answer: any): unknown =>
  answer.updates.map(({ url, status }: any) => [Number(/\d+/.exec(url)![0]), status]);
