import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import postgresJs, { type Sql } from 'postgres';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../../plugins/postgres/index.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';
import { startServer, type TestServer } from '../../postgres/server.ts';

/* Two servers: a primary and a replica, which receives nothing from it. */

let primary: TestServer;
let replica: TestServer;
let url: string;
let store: KeyValueStore | undefined;

const hostOf = (server: TestServer): string => new URL(server.url).host;

/** Runs a statement as superuser. */
async function run(server: TestServer, text: string): Promise<Record<string, unknown>[]> {
  const sql: Sql = postgresJs(server.url, { max: 1, onnotice: () => undefined });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end();
  }
}

/** Restarts a server as a replica, until it is promoted. */
async function becomeReplica(server: TestServer): Promise<void> {
  const [row] = await run(server, 'SHOW data_directory');
  await server.stop('SIGINT');
  await writeFile(join(row!['data_directory'] as string, 'standby.signal'), '');
  await server.start();
}

beforeAll(async () => {
  [primary, replica] = await Promise.all([startServer({ durable: true }), startServer()]);
  await run(replica, `ALTER ROLE postgres PASSWORD '${new URL(primary.url).password}'`); // a real one has the same
  replica = { ...replica, url: primary.url.replace(hostOf(primary), hostOf(replica)) };
  await (await openStore({ url: replica.url })).close(); // creates the tables
  await becomeReplica(replica);
  url = primary.url.replace(hostOf(primary), `${hostOf(primary)},${hostOf(replica)}`);
});
afterAll(() => Promise.all([primary, replica].map((server) => server.destroy())));
afterEach(() => store?.close());

const set = (key: string) => store!.commit({ set: [[key, '1']] });
const keysOf = async (server: TestServer): Promise<string[]> =>
  (await run(server, 'SELECT key FROM entries')).map(({ key }) => key as string);

it.each(['first', 'last'])('of several hosts, the primary is used if it is the %s', async (name) => {
  const hosts = [hostOf(primary), hostOf(replica)];
  if (name === 'last') hosts.reverse();
  store = await openStore({ url: primary.url.replace(hostOf(primary), hosts.join()) });
  await Promise.all(Array.from({ length: 20 }, (_, n) => set(`${name}/${n}`)));
  expect(await keysOf(primary)).toEqual(expect.arrayContaining([`${name}/0`, `${name}/19`]));
});

it('a host that accepts connections but never answers delays nothing', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  store = await openStore({ url: url.replace('@', `@127.0.0.1:${port},`), timeout: 600_000 });
  await set('quickly');
  expect(await keysOf(primary)).toContain('quickly');
  silent.close();
});

it('a wrong password is reported, even if another host is down', async () => {
  const wrong = Object.assign(new URL(primary.url), { password: 'guessed-wrong' }).href;
  const opening = openStore({ url: wrong.replace('@', '@127.0.0.1:1,') });
  await expect(opening).rejects.toThrow('refuses this user');
});

it('a replica is not used, not even for reads, until it is promoted after a crash of the primary', async () => {
  const unavailable = { code: 'unavailable' };
  const noPrimary = { ...unavailable, message: expect.stringContaining('is a replica') };
  store = await openStore({ url });
  await set('before');
  await primary.stop('SIGKILL');
  await expect(set('lost')).rejects.toMatchObject(unavailable);
  await expect(store.get(['before'])).rejects.toMatchObject(noPrimary);
  await expect(store.ping()).rejects.toMatchObject(noPrimary);

  await run(replica, 'SELECT pg_promote()');
  await set('after');
  expect(await keysOf(replica)).toContain('after');

  await primary.start();
  const alone = await openStore({ url: primary.url });
  await becomeReplica(primary);
  await alone.ping().catch(() => undefined); // may use a closed connection
  await expect(alone.get(['before'])).rejects.toMatchObject(noPrimary);
  await set('still there');
  expect(await keysOf(replica)).toContain('still there');
  await alone.close();
});
