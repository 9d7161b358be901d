import postgresJs from 'postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EpisodeAction, Storage, UserId } from '../../../../src/old-plugin.ts';
import { recordFeed } from '../../../readings.ts';
import clocked from './clocked.ts';
import { createBareDatabase, type TestDatabase, untilBlocked } from '../../../postgres/database.ts';

const FEEDS = ['http://example.org/a', 'http://example.org/b'];
const OLD = 60;
const context = { dataDir: '', now: () => 1_800_000_000, overlap: 120, log: () => undefined };

/** The first ones are too old to be kept, but for those that somebody acted on. */
const EPISODES = Array.from({ length: 1000 + OLD }, (_, n) => ({ url: `http://example.org/${n}`, releasedAt: n }));

const action = (podcast: string, n: number): EpisodeAction => ({
  podcast,
  episode: EPISODES[n]!.url,
  action: 'new',
  timestamp: 1,
});

let place: TestDatabase;
let admin: postgresJs.Sql;
let nodes: Storage[];

beforeEach(async () => {
  place = await createBareDatabase();
  admin = postgresJs(place.url, { max: 2 });
  nodes = await Promise.all([1, 2].map(() => clocked.open(clocked.parse(place.url), context)));
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  await admin.end();
  await place.destroy();
});

/** A user who subscribes to both feeds. */
async function addUser(name: string): Promise<UserId> {
  const { id } = await nodes[0]!.users.create({ name, passwordHash: 'x' });
  await nodes[0]!.subscriptions.replace(id, 'phone', FEEDS);
  return id;
}

/** Numbers of the old episodes that are there. */
const keptOf = async (feed: string): Promise<number[]> => {
  const episodes = await nodes[0]!.podcasts.episodes(feed, 2000);
  return episodes.map(({ releasedAt }) => releasedAt!).filter((n) => n < OLD);
};

it('an upload that was under way while others were settled is settled the next time', async () => {
  const bob = await addUser('bob');
  await nodes[0]!.actions.append(bob, [action(FEEDS[0]!, 1)]);
  let finish!: () => void;
  const gate = new Promise<void>((resolve) => (finish = resolve));
  let begun!: () => void;
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const uploading = admin.begin(async (sql) => {
    const [user] = await sql`UPDATE users SET stamp = stamp + 2 WHERE id = ${bob} RETURNING stamp`;
    await sql`
      INSERT INTO actions (user_id, stamp, place, podcast, episode, action, timestamp, fingerprint, uploaded_at)
      VALUES (${bob}, ${user!['stamp']}, 0, ${FEEDS[0]!}, ${EPISODES[2]!.url}, 'new', 1, gen_random_uuid(), 1)`;
    begun();
    await gate;
  });
  await hasBegun;
  const reading = recordFeed(nodes[0]!, FEEDS[0]!, {}, EPISODES);
  await untilBlocked(place.url, 1);
  finish();
  await Promise.all([uploading, reading]);
  await recordFeed(nodes[1]!, FEEDS[0]!, {}, EPISODES);
  expect(await keptOf(FEEDS[0]!)).toEqual([2, 1]);
});

it('nodes that settle at once, while users upload, pass over nothing', async () => {
  const users = await Promise.all(Array.from({ length: 6 }, (_, n) => addUser(`user ${n}`)));
  /** All act on the same episodes, one after the other; every other one remains. */
  const actOn = async (user: UserId): Promise<void> => {
    for (let n = 0; n < OLD; n += 2) {
      const told = FEEDS.map((feed) => action(feed, n));
      await nodes[n % 4 === 0 ? 0 : 1]!.actions.append(user, told);
    }
  };
  const readings = nodes.map(async (node, n) => {
    for (let round = 0; round < 8; round += 1) await recordFeed(node, FEEDS[n]!, {}, EPISODES);
  });
  await Promise.all([...users.map(actOn), ...readings]);
  await Promise.all(nodes.flatMap((node) => FEEDS.map((feed) => recordFeed(node, feed, {}, EPISODES))));
  for (const feed of FEEDS) {
    expect(await keptOf(feed)).toEqual(Array.from({ length: OLD / 2 }, (_, n) => OLD - 2 - 2 * n));
  }
  const [stored] = await admin`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
  expect(Number(stored!['deadlocks'])).toBe(0);
});
