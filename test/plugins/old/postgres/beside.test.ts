import postgresJs, { type Sql } from 'postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import postgres from '../../../../plugins/old/postgres/index.ts';
import type { Storage } from '../../../../src/old-plugin.ts';
import { createTestDatabase, type TestDatabase, untilBlocked } from '../../../postgres/database.ts';

const [A, B] = ['https://podcasts.example/feed/a', 'https://podcasts.example/feed/b'] as const;

let place: TestDatabase;
let storage: Storage;
/** What another node has open. */
let other: Sql;

beforeEach(async () => {
  place = await createTestDatabase();
  const context = { dataDir: '', now: () => 1_800_000_000, overlap: 120, log: () => undefined };
  storage = await postgres.open(postgres.parse(place.url), context);
  other = postgresJs(place.url, { max: 2 });
});
afterEach(async () => {
  await other.end();
  await storage.close();
  await place.destroy();
});

it('a session that is opened while the password changes knows of the new one', async () => {
  const { id: user } = await storage.users.create({ name: 'alice', passwordHash: 'old' });
  const open = async () => {
    await storage.sessions.save({ digest: 'd', user, expiresAt: 2_000_000_000 });
    return storage.sessions.find('d');
  };
  let opened!: ReturnType<typeof open>;
  await other.begin(async (sql) => {
    await sql`UPDATE users SET password_hash = 'new' WHERE id = ${user}`;
    await sql`DELETE FROM sessions WHERE user_id = ${user}`;
    opened = open();
    await Promise.race([opened, untilBlocked(place.url, 1)]);
  });
  expect((await opened)?.user.passwordHash).toBe('new');
});

it('who waits for one user takes no connection from the others', async () => {
  const { id: alice } = await storage.users.create({ name: 'alice', passwordHash: 'x' });
  const { id: bob } = await storage.users.create({ name: 'bob', passwordHash: 'x' });
  let waiting!: Promise<unknown>;
  await other.begin(async (sql) => {
    await sql`SELECT 1 FROM users WHERE id = ${alice} FOR UPDATE`;
    waiting = Promise.all(Array.from({ length: 20 }, () => storage.subscriptions.apply(alice, 'phone', [])));
    await untilBlocked(place.url, 1);
    await storage.ping();
    expect(await storage.subscriptions.since(bob, 'phone', 0)).toMatchObject({ items: [] });
  });
  await waiting;
});

it('the toplist is kept where a feed that is in it turns out to be another one meanwhile', async () => {
  const { id } = await storage.users.create({ name: 'alice', passwordHash: 'x' });
  await storage.subscriptions.replace(id, 'phone', [A, B]);
  let rebuilt!: Promise<unknown>;
  await other.begin(async (moving) => {
    await other.begin(async (reading) => {
      await reading`UPDATE directory SET told_at = told_at`; // so that all is counted when the feed goes
      rebuilt = storage.podcasts.rebuildToplist();
      await untilBlocked(place.url, 1);
      const [left] = await moving`SELECT podcast_id AS id FROM podcast_urls WHERE url = ${A}`;
      const [gone] = await moving`
        UPDATE podcast_urls SET podcast_id = ${left!.id} FROM podcast_urls AS old
        WHERE podcast_urls.url = ${B} AND old.url = podcast_urls.url RETURNING old.podcast_id AS id`;
      await moving`DELETE FROM followers WHERE podcast_id = ${gone!.id}`;
      await moving`DELETE FROM podcasts WHERE id = ${gone!.id}`;
    });
    await Promise.race([rebuilt.catch(() => undefined), untilBlocked(place.url, 1)]);
  });
  await rebuilt;
  expect((await storage.podcasts.top(9)).map(({ url }) => url)).toEqual([A]);
});
