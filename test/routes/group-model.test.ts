import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seed } from '../seed.ts';
import { ok, openTestServer, type TestServer } from '../server.ts';
import { delta, list, SYNC, whole } from './device-requests.ts';

/** A client: its list, and its mark. */
interface Client {
  device: string;
  feeds: Set<string>;
  mark: number;
  /** What is added to a mark before it is kept (Kasts), and whether the mark of a push is kept, too (AntennaPod). */
  plus: number;
  keepsPushMarks: boolean;
}

async function pull(server: TestServer, client: Client): Promise<void> {
  const { add, remove, timestamp } = await ok(server, 'GET', `${delta(client.device)}?since=${client.mark}`);
  for (const url of add) client.feeds.add(url);
  for (const url of remove) client.feeds.delete(url);
  client.mark = timestamp + client.plus;
}

async function push(server: TestServer, client: Client, toggled: readonly string[]): Promise<void> {
  const add = toggled.filter((url) => !client.feeds.has(url));
  const remove = toggled.filter((url) => client.feeds.has(url));
  const { timestamp } = await ok(server, 'POST', delta(client.device), { add, remove });
  for (const url of add) client.feeds.add(url);
  for (const url of remove) client.feeds.delete(url);
  if (client.keepsPushMarks) client.mark = timestamp + client.plus;
}

const feeds = fc.uniqueArray(
  fc.constantFrom(...'abcdefgh').map((name) => `http://example.org/${name}`),
  { maxLength: 4 },
);
const step = fc.record({
  client: fc.nat(2),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant('pull') },
    { weight: 4, arbitrary: fc.constant('push') },
    { weight: 2, arbitrary: fc.constant('put') },
    { weight: 1, arbitrary: fc.constant('quiet') },
  ),
  feeds,
  seconds: fc.nat(2),
});
const habits = fc.record({ plus: fc.nat(1), keepsPushMarks: fc.boolean() });

it(
  'two devices in a group agree once both have pulled, and one outside stays unchanged',
  { timeout: 600_000 },
  async () => {
    const property = fc.asyncProperty(
      fc.tuple(habits, habits, habits),
      fc.array(step, { minLength: 1, maxLength: 40 }),
      async (habitsOf, steps) => {
        const server = await openTestServer();
        const clients = ['phone', 'laptop', 'tv'].map((device, at) => ({
          device,
          feeds: new Set<string>(),
          mark: 0,
          ...habitsOf[at]!,
        }));
        const [phone, laptop, tv] = clients as [Client, Client, Client];
        const outside = new Set<string>();
        for (const { device } of clients) await ok(server, 'PUT', whole(device), []);
        await ok(server, 'POST', SYNC, { synchronize: [['phone', 'laptop']] });
        for (const client of clients) await pull(server, client); // since 0, nothing is returned as removed

        for (const { client: number, what, feeds: urls, seconds } of steps) {
          server.clock.now += seconds;
          const client = clients[number]!;
          if (what === 'pull') await pull(server, client);
          if (what === 'push') await push(server, client, urls);
          if (what === 'put') {
            await ok(server, 'PUT', whole(client.device), urls);
            client.feeds = new Set(urls);
          }
          if (what === 'quiet') {
            // Beyond the overlap nothing is lost only for clients that pull before they push, as real ones do.
            for (const each of clients) await pull(server, each);
            server.clock.now += 200;
          }
          if (client === tv && what === 'push') for (const url of urls) if (!outside.delete(url)) outside.add(url);
          if (client === tv && what === 'put') {
            outside.clear();
            for (const url of urls) outside.add(url);
          }
          expect(await list(server, 'laptop')).toEqual(await list(server, 'phone'));
          expect(await list(server, 'tv')).toEqual([...outside].toSorted());
        }

        for (const client of clients) await pull(server, client);
        const held = await list(server, 'phone');
        expect([...phone.feeds].toSorted()).toEqual(held);
        expect([...laptop.feeds].toSorted()).toEqual(held);
        expect([...tv.feeds].toSorted()).toEqual([...outside].toSorted());
      },
    );
    await fc.assert(property, { seed, numRuns: 30 });
  },
);

it('all devices of a new account follow each other if that is the default of the server', async () => {
  const { request } = await openTestServer({ syncDevices: true });
  const auth = 'bob:secret';
  const feed = 'http://example.org/feed';
  await request('POST', '/api/2/devices/bob/laptop.json', { auth });
  await request('PUT', '/subscriptions/bob/phone.json', { auth, body: [feed] });
  expect(await (await request('GET', '/subscriptions/bob/laptop.json', { auth })).json()).toEqual([feed]);
});
