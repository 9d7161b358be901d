import { beforeEach, describe, expect, it } from 'vitest';
import type { Fetcher } from '../../src/feeds/fetch.ts';
import { logIn, openTestServer, type TestServer } from '../server.ts';

/* Two nodes on one database: a change on one is visible on the other at once. */

const DEVICES = '/api/2/devices/bob.json';
const auth = 'bob:secret';
const feeds = Array.from({ length: 40 }, (_, n) => `http://example.org/${n}`);

let one: TestServer;
let two: TestServer;

/** Number of fetches per URL, by both nodes. */
let fetched: Map<string, number>;
const fetcher: Fetcher = {
  async fetchFeed(url) {
    fetched.set(url, (fetched.get(url) ?? 0) + 1);
    return { kind: 'failed', message: 'not found' };
  },
  fetchImage: () => Promise.reject(new Error('unexpected')),
  close: async () => undefined,
};

beforeEach(async () => {
  fetched = new Map();
  one = await openTestServer({ fetcher });
  two = await openTestServer({ fetcher, beside: one });
});

const statusAt = async ({ request }: TestServer, password: string, user = 'bob'): Promise<number> =>
  (await request('GET', `/api/2/devices/${user}.json`, { auth: `${user}:${password}` })).status;

const upload = async ({ request }: TestServer, device: string, body: object): Promise<void> => {
  const path = `/api/2/subscriptions/bob/${device}.json`;
  expect((await request('POST', path, { auth, body })).status).toBe(200);
};

describe('sessions', () => {
  const statusBy = async ({ request }: TestServer, cookie: string): Promise<number> =>
    (await request('GET', DEVICES, { cookie })).status;

  it('of one node are valid on the other, until either ends them', async () => {
    const cookie = await logIn(one);
    expect([await statusBy(one, cookie), await statusBy(two, cookie)]).toEqual([200, 200]);
    await two.request('POST', '/api/2/auth/bob/logout.json', { cookie });
    expect([await statusBy(one, cookie), await statusBy(two, cookie)]).toEqual([401, 401]);
  });

  it('end on both nodes when the password changes, and the old password is refused, cached or not', async () => {
    const cookie = await logIn(one);
    expect([await statusAt(one, 'secret'), await statusAt(two, 'secret')]).toEqual([200, 200]);
    await two.services.administration.setPassword('bob', 'better');
    expect([await statusBy(one, cookie), await statusBy(two, cookie)]).toEqual([401, 401]);
    expect([await statusAt(one, 'secret'), await statusAt(two, 'secret')]).toEqual([401, 401]);
    expect([await statusAt(one, 'better'), await statusAt(two, 'better')]).toEqual([200, 200]);
  });
});

describe('wrong passwords', () => {
  it('are counted across both nodes', async () => {
    for (let trial = 0; trial < 5; trial += 1) {
      expect([await statusAt(one, 'wrong'), await statusAt(two, 'wrong')]).toEqual([401, 401]);
    }
    expect([await statusAt(one, 'wrong'), await statusAt(two, 'secret')]).toEqual([429, 429]);
    expect([await statusAt(one, 'secret', 'eve'), await statusAt(two, 'secret', 'eve')]).toEqual([200, 200]);
    one.clock.now += 300;
    expect([await statusAt(one, 'secret'), await statusAt(two, 'secret')]).toEqual([200, 200]);
  });

  it('for one account are counted across nodes and networks, and both know the networks of the account', async () => {
    const proxied = await openTestServer({ trustProxy: true });
    const other = await openTestServer({ trustProxy: true, beside: proxied });
    const status = async ({ request }: TestServer, password: string, from: string): Promise<number> => {
      const headers = { 'x-forwarded-for': from };
      return (await request('GET', DEVICES, { auth: `bob:${password}`, headers })).status;
    };
    expect(await status(proxied, 'secret', '192.0.2.1')).toBe(200);
    for (let at = 0; at < 50; at += 1) {
      expect(await status(at % 2 ? proxied : other, 'wrong', `198.51.100.${at}`)).toBe(401);
    }
    for (const node of [proxied, other]) {
      expect(await status(node, 'secret', '203.0.113.1')).toBe(429);
      expect(await status(node, 'secret', '192.0.2.1')).toBe(200);
    }
  });

  it('are counted while they are being checked on either node', async () => {
    const trials = Array.from({ length: 30 }, (_, n) => statusAt(n % 2 ? one : two, `wrong ${n}`));
    const statuses = await Promise.all(trials);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });
});

it('devices follow each other across both nodes', async () => {
  await upload(one, 'phone', { add: feeds.slice(0, 1) });
  await upload(two, 'tablet', { add: feeds.slice(1, 2) });
  const body = { synchronize: [['phone', 'tablet']] };
  await one.request('POST', '/api/2/sync-devices/bob.json', { auth, body });
  await upload(two, 'phone', { add: feeds.slice(2, 3), remove: feeds.slice(0, 1) });
  for (const { request } of [one, two]) {
    const list = await (await request('GET', '/subscriptions/bob/tablet.json', { auth })).json();
    expect((list as string[]).toSorted()).toEqual(feeds.slice(1, 3));
  }
});

it('of concurrent registrations of one name on both nodes, one succeeds', async () => {
  const register = ({ services }: TestServer, name: string) => services.accounts.create({ name, password: 'secret' });
  const both = await Promise.allSettled([register(one, 'ann'), register(two, 'ANN')]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

it('a due feed is fetched by one node', async () => {
  await upload(one, 'phone', { add: feeds });
  const reports = await Promise.all([one, two].map(({ services }) => services.feeds.update('due')));
  expect(reports.reduce((sum, { tried }) => sum + tried, 0)).toBe(feeds.length);
  expect([...fetched.values()]).toEqual(feeds.map(() => 1));
});

it('the toplist of a starting node is correct, although both others rebuilt it during subscriptions', async () => {
  const subscribe = async (node: TestServer, user: string, urls: readonly string[]): Promise<void> => {
    for (const url of urls) {
      const path = `/api/2/subscriptions/${user}/phone.json`;
      const answer = await node.request('POST', path, { auth: `${user}:secret`, body: { add: [url] } });
      expect(answer.status).toBe(200);
    }
  };
  const rebuild = async ({ services }: TestServer): Promise<void> => {
    for (let round = 0; round < 5; round += 1) {
      expect((await services.directory.rebuildToplist()).corrected).toBe(0);
    }
  };
  await Promise.all([
    rebuild(one),
    rebuild(two),
    subscribe(one, 'bob', feeds.slice(0, 20)),
    subscribe(two, 'eve', feeds.slice(0, 20).toReversed()),
    subscribe(two, 'bob', feeds.slice(20)),
  ]);
  const { services } = await openTestServer({ beside: one });
  const top = await services.directory.toplist(100);
  expect(top.map(({ url, subscribers }) => [url, subscribers])).toEqual([
    ...feeds
      .slice(0, 20)
      .toSorted()
      .map((url) => [url, 2]),
    ...feeds
      .slice(20)
      .toSorted()
      .map((url) => [url, 1]),
  ]);
});

it('the integrity check of one node finds no damage right after a change on the other', async () => {
  await upload(two, 'phone', { add: feeds });
  await upload(one, 'phone', { remove: feeds });
  const { findings } = await two.services.integrityCheck.run(() => undefined);
  expect(findings).toEqual([]);
});

it('plays through one node appear at once in the statistics of the other', async () => {
  const listened = async (): Promise<number> => {
    const answer = await one.request('GET', '/api/podsync/1/statistics/bob.json', { auth });
    return ((await answer.json()) as { listened: number }).listened;
  };
  const play = { podcast: feeds[0], action: 'play', timestamp: '2023-11-14T10:00:00', started: 0, total: 100 };
  for (const position of [10, 20]) {
    const before = await listened();
    const body = [{ ...play, episode: `http://example.org/${position}.mp3`, position }];
    expect((await two.request('POST', '/api/2/episodes/bob.json', { auth, body })).status).toBe(200);
    expect(await listened()).toBe(before + position);
  }
});
