import postgresJs from 'postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import postgres from '../../../../plugins/old/postgres/index.ts';
import type { Storage, UserRecord } from '../../../../src/old-plugin.ts';
import { account, action, NOW } from '../arriving.ts';
import clocked from './clocked.ts';
import { createTestDatabase, type TestDatabase } from '../../../postgres/database.ts';

const HOUR = 3600;

let place: TestDatabase;
let storage: Storage;
let now: number;

const open = (): Promise<Storage> =>
  clocked.open(postgres.parse(place.url), { dataDir: '', now: () => now, overlap: 120, log: () => undefined });
/** Another node starts. */
const openOther = async (): Promise<void> => (await open()).close();

beforeEach(async () => {
  place = await createTestDatabase();
  now = NOW;
  storage = await open();
});
afterEach(async () => {
  await storage.close();
  await place.destroy();
});

/** How much there is of accounts, whether they have arrived or not. */
async function count(): Promise<Record<'actions' | 'arriving' | 'users', number>> {
  const sql = postgresJs(place.url, { max: 1 });
  const [row] = await sql`
    SELECT (SELECT count(*)::integer FROM actions) AS actions, (SELECT count(*)::integer FROM arriving_users) AS arriving,
      (SELECT count(*)::integer FROM users) AS users`;
  await sql.end();
  return row as Awaited<ReturnType<typeof count>>;
}

const MORE: UserRecord = { kind: 'action', action: action(3000), stamp: NOW + 9, uploadedAt: NOW };

it.each([
  ['by a node that starts', openOther, [[MORE]]],
  ['by the next import', async () => void (await storage.transfer.importUser(named('eve'))), [[MORE]]],
  ['though all of it had come', openOther, []],
])('what an import left that stood still for long is removed %s, and it ends there', async (_, comeBy, rest) => {
  const late = async function* (): AsyncGenerator<UserRecord[]> {
    yield* account();
    now += HOUR;
    await openOther();
    expect(await count()).toMatchObject({ actions: 2500, arriving: 1 });
    now += 1;
    await comeBy();
    expect(await count()).toMatchObject({ actions: 0, arriving: 0 });
    yield* rest;
  };
  await expect(storage.transfer.importUser(late())).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('stood still for too long'),
  });
  expect(await storage.users.find('bob')).toBeUndefined();
  expect(await count()).toMatchObject({ actions: 0, arriving: 0 });
});

it('an import may take as long as it takes, while it goes on', async () => {
  const slowly = async function* (): AsyncGenerator<UserRecord[]> {
    for await (const page of account()) {
      yield page;
      now += HOUR;
      await openOther();
    }
  };
  const id = await storage.transfer.importUser(slowly());
  expect(await storage.users.find('bob')).toMatchObject({ id });
  expect(await count()).toEqual({ actions: 2500, arriving: 0, users: 1 });
});

it('an import that fails leaves nothing of itself', async () => {
  const midway = async (): Promise<void> => {
    throw new Error('the source is gone');
  };
  await expect(storage.transfer.importUser(account(midway))).rejects.toThrow('the source is gone');
  expect(await count()).toEqual({ actions: 0, arriving: 0, users: 0 });
});

async function* named(name: string): AsyncGenerator<UserRecord[]> {
  yield [{ kind: 'user', name, passwordHash: 'x', createdAt: NOW, stamp: NOW }];
}
