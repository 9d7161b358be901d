import { afterEach, beforeEach, expect, it } from 'vitest';
import { createActionTable } from '../../../../plugins/old/postgres/action-table.ts';
import { Database } from '../../../../plugins/old/postgres/database.ts';
import { createDevices } from '../../../../plugins/old/postgres/device-table.ts';
import { createDirectory } from '../../../../plugins/old/postgres/directory.ts';
import postgres from '../../../../plugins/old/postgres/index.ts';
import { createSearchIndex } from '../../../../plugins/old/postgres/search-index.ts';
import { createStamps } from '../../../../plugins/old/postgres/stamps.ts';
import { createSubscriptionTable } from '../../../../plugins/old/postgres/subscription-table.ts';
import { createUpload } from '../../../../plugins/old/postgres/upload.ts';
import type { EpisodeAction, StorageContext, Stamp, Storage, UserId, UserRecord } from '../../../../src/old-plugin.ts';
import clocked from './clocked.ts';
import { createTestDatabase, type TestDatabase, untilBlocked } from '../../../postgres/database.ts';

const START = 1_800_000_000;

const contextAt = (clock: { at: number }): StorageContext => ({
  dataDir: '',
  now: () => clock.at,
  overlap: 120,
  log: () => undefined,
});

const action = (n: number): EpisodeAction => ({
  podcast: 'https://podcasts.example/feed/1',
  episode: `https://podcasts.example/episode/${n}`,
  action: 'download',
  timestamp: n,
});

let place: TestDatabase;
let clocks: { at: number }[];
let nodes: Storage[];
let alice: UserId;

/** Two nodes whose clocks differ as a test likes, in the place of one server whose clock is set. */
beforeEach(async () => {
  place = await createTestDatabase();
  clocks = [{ at: START }, { at: START }];
  nodes = await Promise.all(clocks.map((clock) => clocked.open(clocked.parse(place.url), contextAt(clock))));
  alice = (await nodes[0]!.users.create({ name: 'alice', passwordHash: 'x' })).id;
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  await place.destroy();
});

async function pull({ actions }: Storage, since: Stamp, user = alice): Promise<{ found: number[]; mark: Stamp }> {
  const { pages, mark } = await actions.query(user, { since });
  const found: number[] = [];
  for await (const page of pages) found.push(...page.map(({ timestamp }) => timestamp));
  return { found, mark };
}

it('a mark that was told holds where the clock goes back, whoever asks and whoever uploads', async () => {
  const [one, two] = nodes as [Storage, Storage];
  clocks[0]!.at += 1000;
  for (const ask of [
    () => pull(one, 0),
    async () => ({ mark: (await one.subscriptions.since(alice, 'phone', 0)).mark }),
    async () => ({ mark: await one.subscriptions.apply(alice, 'phone', []) }),
  ]) {
    clocks[0]!.at += 1000;
    const { mark } = await ask();
    await two.actions.append(alice, [action(mark)]);
    expect((await pull(two, mark + 1)).found).toEqual([mark]);
  }
});

it('a reader never skips an upload that was under way, however long that took', async () => {
  const clock = clocks[0]!;
  const database = await Database.open({ url: place.url, now: () => clock.at }, contextAt(clock));
  const stamps = createStamps(database);
  const directory = createDirectory(database, createSearchIndex(database));
  const tables = [createDevices(database), createSubscriptionTable(database)] as const;
  const upload = createUpload(database, stamps, directory, ...tables);
  const storeActions = createActionTable(database);

  let open: () => void;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let begun: () => void;
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const uploading = database.write((connection) =>
    upload(connection, { user: alice, devices: [], origin: undefined }, async ({ stamp, at, place: first }) => {
      await storeActions(connection, alice, first, [{ action: action(1), stamp, uploadedAt: at }]);
      begun();
      await gate;
      return true;
    }),
  );
  await hasBegun;
  for (const each of clocks) each.at += 100;
  const readings = nodes.map((node) => pull(node, 0));
  await untilBlocked(place.url, readings.length);
  open!();
  await uploading;
  for (const reading of readings) {
    const { found, mark } = await reading;
    expect([...found, ...(await pull(nodes[1]!, mark)).found]).toEqual([1]);
  }
  await database.close();
});

it('what came from a storage with another clock goes on above the marks that were told there', async () => {
  const options = { ...postgres.parse(place.url), now: () => START - 1000 };
  const storage = await postgres.open(options, contextAt({ at: START }));
  const records = async function* (): AsyncIterable<UserRecord[]> {
    yield [{ kind: 'user', name: 'bob', passwordHash: 'x', createdAt: START - 5000, stamp: START - 5000 }];
  };
  const bob = await storage.transfer.importUser(records());
  await storage.transfer.importDirectory((async function* () {})());
  await storage.actions.append(bob, [action(1)]);
  expect((await pull(storage, START + 1, bob)).found).toEqual([1]);
  expect((await storage.podcasts.episodesSince([], 0, 5)).mark).toBe(START);
  await storage.close();
});
