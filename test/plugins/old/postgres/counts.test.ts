import postgresJs from 'postgres';
import { expect, it } from 'vitest';
import { isStorageError, type Storage, type UserId } from '../../../../src/old-plugin.ts';
import { createRandom } from '../../../process/uploads.ts';
import { recordFeed } from '../../../readings.ts';
import { seed } from '../../../seed.ts';
import clocked from './clocked.ts';
import { createBareDatabase } from '../../../postgres/database.ts';

const FEEDS = 20;
const USERS = 6;
const STEPS = 20;

const feed = (n: number): string => `https://podcasts.example/feed/${n}`;
const ALL = Array.from({ length: FEEDS }, (_, n) => feed(n));
const context = { dataDir: '', now: () => 1_800_000_000, overlap: 120, log: () => undefined };

const random = createRandom(seed);
/** Some feeds, in any order. */
const some = (): string[] => ALL.filter(() => random(2) === 0).toSorted(() => random(3) - 1);

/** What one user does on one node after the other. */
async function useFeeds(nodes: readonly Storage[], user: UserId): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    const { subscriptions, actions } = nodes[random(2)]!;
    const device = `device ${random(2)}`;
    const urls = some();
    const kind = random(3);
    if (kind === 0) await subscriptions.replace(user, device, urls);
    else if (kind === 1) {
      await subscriptions.apply(
        user,
        device,
        urls.map((url) => ({ url, subscribed: random(2) === 0 })),
      );
    } else {
      await actions.append(
        user,
        urls.map((podcast) => ({ podcast, episode: `${podcast}/1`, action: 'new', timestamp: step })),
      );
    }
  }
}

/** Feeds are read, and some turn out to have moved to another. */
async function readFeeds(nodes: readonly Storage[]): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    const movedTo = random(3) === 0 ? feed(random(FEEDS)) : undefined;
    const episodes = [{ url: feed(random(FEEDS)) }];
    const more = movedTo === undefined ? {} : { movedTo };
    await recordFeed(nodes[random(2)]!, feed(random(FEEDS)), { tags: ['News'] }, episodes, more).catch((error) => {
      if (!isStorageError(error) || error.code !== 'missing') throw error; // nobody has heard of it yet
    });
  }
}

/** Does all at once on two nodes, and counts afterwards; answers how many deadlocks there were on the way. */
async function countAfter(work: (nodes: readonly Storage[], users: readonly UserId[]) => Promise<void>[]) {
  const place = await createBareDatabase();
  const nodes = await Promise.all([1, 2].map(() => clocked.open(clocked.parse(place.url), context)));
  const { users, podcasts, subscriptions } = nodes[0]!;
  const names = Array.from({ length: USERS }, (_, n) => `user ${n}`);
  const made = await Promise.all(names.map((name) => users.create({ name, passwordHash: 'x' })));
  await Promise.all(
    work(
      nodes,
      made.map(({ id }) => id),
    ),
  );

  const followed: (string | undefined)[] = [];
  for await (const { id } of users.all()) {
    const own = await podcasts.find(await subscriptions.current(id));
    followed.push(...new Set(own.map((podcast) => podcast?.url)));
  }
  for (const podcast of await podcasts.find(ALL)) {
    if (podcast) expect(podcast.subscribers).toBe(followed.filter((url) => url === podcast.url).length);
  }
  expect((await podcasts.rebuildToplist()).corrected).toBe(0);

  for (const node of nodes) await node.close();
  const admin = postgresJs(place.url, { max: 1 });
  const [stored] = await admin`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
  await admin.end();
  await place.destroy();
  return Number(stored!['deadlocks']);
}

it('subscribers are counted right, and users of the same feeds never end up in a deadlock', async () => {
  expect(await countAfter((nodes, users) => users.map((user) => useFeeds(nodes, user)))).toBe(0);
});

it('subscribers are counted right where feeds become one and users go meanwhile', async () => {
  await countAfter((nodes, users) => [
    ...users.map(async (user, n) => {
      await useFeeds(nodes, user);
      if (n % 2 === 0) await nodes[n % 2]!.users.delete(user);
    }),
    readFeeds(nodes),
    readFeeds(nodes),
  ]);
});
