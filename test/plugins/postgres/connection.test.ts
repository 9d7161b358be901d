import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import postgresJs, { type Sql } from 'postgres';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadDriver } from '../../../plugins/postgres/client.ts';
import { toStorageError } from '../../../plugins/postgres/failure.ts';
import { openStore } from '../../../plugins/postgres/index.ts';
import type { KeyValueStore } from '../../../src/plugin.ts';
import { makeFolder } from '../../folder.ts';
import { createBareDatabase, type TestDatabase, untilBlocked } from '../../postgres/database.ts';

/** Milliseconds; shorter than the default, but enough to connect on a busy machine. */
const TIMEOUT = 3000;

let place: TestDatabase;
let admin: Sql;
let store: KeyValueStore;

beforeEach(async () => {
  place = await createBareDatabase();
  admin = postgresJs(place.url, { max: 1, onnotice: () => undefined });
  store = await openStore({ url: place.url });
});
afterEach(async () => {
  await store.close();
  await admin.end();
  await place.destroy();
});

const set = (to: KeyValueStore, key: string) => to.commit({ set: [[key, '1']] });
const keys = async (): Promise<string[]> => (await admin`SELECT key FROM entries ORDER BY key`).map(({ key }) => key);
const unavailable = expect.objectContaining({ code: 'unavailable' });

/** Terminates all connections of podsync on the server, and waits until they are closed. */
const cutAll = () => admin`
  SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'podsync'`;

/** Locks a key until the returned function is called. */
async function lock(key: string): Promise<() => Promise<void>> {
  await admin`INSERT INTO entries VALUES (${key}, '0', 1) ON CONFLICT DO NOTHING`;
  await admin`BEGIN`;
  await admin`SELECT 1 FROM entries WHERE key = ${key} FOR UPDATE`;
  return async () => void (await admin`ROLLBACK`);
}

describe('a connection that breaks', () => {
  it('while idle is not used again', async () => {
    await Promise.all([set(store, 'a'), set(store, 'b'), store.get(['a'])]);
    await cutAll();
    await new Promise(setImmediate); // it is noticed when its socket is read
    await expect.poll(() => set(store, 'c').catch(() => undefined)).toBeGreaterThan(0);
    expect(await keys()).toEqual(['a', 'b', 'c']);
  });

  it('while a commit waits for another transaction rejects the commit, which is not stored', async () => {
    const release = await lock('b');
    const commit = store.commit({ set: [['a', '1'], ['b', '1'], ['c', '1']] }); // prettier-ignore
    const rejected = expect(commit).rejects.toThrow(unavailable);
    await untilBlocked(place.url, 1);
    await cutAll();
    await rejected;
    await release();
    expect(await keys()).toEqual(['b']);
    await expect.poll(() => set(store, 'c').catch(() => undefined)).toBeGreaterThan(0);
  });
});

it('a statement cancelled by an administrator is not reported as damage', async () => {
  const release = await lock('b');
  const commit = set(store, 'b');
  const rejected = expect(commit).rejects.toThrow(unavailable);
  await untilBlocked(place.url, 1);
  await admin`
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'podsync' AND state = 'active'`;
  await rejected;
  await release();
  await set(store, 'b');
});

it('commits and reads continue while one commit waits for another node', async () => {
  const release = await lock('b');
  const commit = set(store, 'b');
  await untilBlocked(place.url, 1);
  await Promise.all(Array.from({ length: 9 }, async (_, n) => (await set(store, `k/${n}`), store.get([`k/${n}`]))));
  await release();
  await commit;
});

it('a batch that deletes a missing key, and another one that sets it, are stored one after the other', async () => {
  const release = await lock('b');
  const first = store.commit({ delete: ['a'], set: [['b', '1'], ['c', '1']] }); // prettier-ignore
  await untilBlocked(place.url, 1);
  const second = store.commit({ set: [['a', '2'], ['c', '2']] }); // prettier-ignore
  await Promise.race([second, untilBlocked(place.url, 2)]);
  await release();
  await Promise.all([first, second]);
  expect((await store.get(['a', 'c'])).map((entry) => entry?.value)).toEqual(['2', '2']);
});

it('a deadlock with another program is resolved: the commit is stored', async () => {
  await Promise.all([set(store, 'a'), set(store, 'b')]);
  const release = await lock('b');
  const commit = store.commit({ set: [['a', '2'], ['b', '2']] }); // prettier-ignore
  await untilBlocked(place.url, 1);
  const theirs = admin`SELECT 1 FROM entries WHERE key = 'a' FOR UPDATE`.catch(() => undefined); // in the other order
  await theirs;
  await release();
  await commit;
  expect(await admin`SELECT value FROM entries ORDER BY key`).toEqual([{ value: '2' }, { value: '2' }]);
});

/** A user of the database who may have this many connections. */
async function createGuest(connections: number) {
  const name = `podsync_guest_${new URL(place.url).pathname.slice(-12)}`;
  const limit = (most: number) => admin.unsafe(`ALTER ROLE ${name} CONNECTION LIMIT ${most}`);
  await admin.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'guest'`);
  await limit(connections);
  await admin.unsafe(
    `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${name}; GRANT ALL ON SEQUENCE entry_versions TO ${name}`,
  );
  const { href } = Object.assign(new URL(place.url), { username: name, password: 'guest' });
  return { url: href, limit, remove: () => admin.unsafe(`DROP OWNED BY ${name}; DROP ROLE ${name}`) };
}

it('a slow statement has no timeout while the server answers, even if it refuses a second connection', async () => {
  const guest = await createGuest(3);
  const stores = await Promise.all([place.url, guest.url].map((url) => openStore({ url, timeout: TIMEOUT })));
  for (const each of stores) await set(each, 'a'); // connects
  await guest.limit(0);
  const release = await lock('b');
  const commits = Promise.all(stores.map((each) => set(each, 'b')));
  await untilBlocked(place.url, 2);
  await admin`SELECT pg_sleep(${(2.5 * TIMEOUT) / 1000})`;
  await release();
  for (const version of await commits) expect(version).toBeGreaterThan(0);
  for (const each of stores) await each.close();
  await guest.remove();
});

it('a node has ten connections at most', async () => {
  await Promise.all(Array.from({ length: 300 }, (_, n) => store.list({ from: `k/${n}`, until: 'l', limit: 1 })));
  const count = async () =>
    (
      await admin`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'podsync'`
    ).length;
  await expect.poll(count).toBeLessThanOrEqual(10); // the one that created the tables may not have ended yet
});

it('a node shares the connections that it gets if the server refuses more', async () => {
  const guest = await createGuest(3);
  const limited = await openStore({ url: guest.url });
  await set(limited, 'first');
  await Promise.all(Array.from({ length: 300 }, (_, n) => limited.list({ from: `k/${n}`, until: 'l', limit: 1 })));
  await Promise.all(Array.from({ length: 300 }, (_, n) => set(limited, `k/${n}`)));
  expect(await limited.list({ from: 'k/', until: 'k0', limit: 1000 })).toHaveLength(300);
  await limited.close();
  await guest.remove();
});

describe('between podsync and PostgreSQL', () => {
  let server: Server;
  let sockets: Socket[];

  /** Listens, and returns the URL of the database through the proxy. */
  const listen = async (onConnection: (socket: Socket) => void): Promise<string> => {
    sockets = [];
    server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      onConnection(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return Object.assign(new URL(place.url), { port: (server.address() as AddressInfo).port }).href;
  };
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  /** Forwards data, until `isCut` returns true: then the connection ends. While `isSilent`, nothing is forwarded. */
  const listenBetween = (
    isCut: (chunk: Buffer) => boolean,
    end: (socket: Socket) => unknown,
    isSilent: () => boolean = () => false,
  ): Promise<string> =>
    listen((socket) => {
      const { hostname, port } = new URL(place.url);
      const onward = connect(Number(port), hostname).on('error', () => undefined);
      sockets.push(onward);
      onward.on('data', (chunk) => isSilent() || socket.write(chunk));
      socket.on('data', (chunk: Buffer) => {
        if (isSilent()) return;
        onward.write(chunk);
        if (isCut(chunk)) end(socket);
      });
    });

  it('a commit whose answer is lost is rejected, but may be stored', async () => {
    let isCutting = false;
    const url = await listenBetween(
      (chunk) => isCutting && chunk.includes('maybe'),
      (socket) => socket.destroy(),
    );
    const distant = await openStore({ url });
    isCutting = true;
    await expect(set(distant, 'maybe')).rejects.toThrow(unavailable);
    isCutting = false;
    await set(distant, 'surely');
    await distant.close();
    expect(await keys()).toContain('surely');
  });

  it('a reset rejects all waiting calls', async () => {
    const url = await listenBetween(
      (chunk) => chunk.includes('never'),
      (socket) => socket.resetAndDestroy(),
    );
    const distant = await openStore({ url });
    for (let round = 0; round < 20; round += 1) {
      const calls = [
        set(distant, 'never'),
        distant.get(['never']),
        distant.list({ from: 'never', until: 'o', limit: 1 }),
      ];
      const results = await Promise.allSettled(calls);
      expect(results).toMatchObject(calls.map(() => ({ status: 'rejected', reason: { code: 'unavailable' } })));
    }
    await set(distant, 'after');
    await distant.close();
  });

  it('a server that stops without closing its connections rejects all waiting calls', async () => {
    let isGone = false;
    const url = await listenBetween(
      () => false,
      () => undefined,
      () => isGone,
    );
    const distant = await openStore({ url, timeout: TIMEOUT });
    isGone = true;
    const calls = [set(distant, 'never'), distant.get(['never']), distant.ping()];
    const results = await Promise.allSettled(calls);
    expect(results).toMatchObject(calls.map(() => ({ reason: { code: 'unavailable' } })));
    isGone = false;
    await set(distant, 'again');
    await distant.close();
    expect(await keys()).toEqual(['again']);
  });

  it('something that accepts connections and closes them is reported', async () => {
    const url = await listen((socket) => socket.destroy());
    await expect(openStore({ url })).rejects.toThrow(unavailable);
    expect(sockets.length).toBeLessThan(5);
  });

  it('a server with another protocol is reported', async () => {
    const url = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await expect(openStore({ url })).rejects.toThrow(unavailable);
  });

  it('a server without TLS is reported if sslmode asks for it', async () => {
    const url = await listen((socket) =>
      socket.once('data', () => socket.write('N', () => socket.once('data', () => socket.end()))),
    );
    await expect(openStore({ url: `${url}?sslmode=require` })).rejects.toThrow('check that it offers TLS');
  });
});

describe('errors say what is wrong, without secrets', () => {
  const refusal = async (change: Partial<URL>): Promise<Error & { code?: string }> => {
    const { href } = Object.assign(new URL(place.url), change);
    return openStore({ url: href }).then(
      () => new Error('it opened'),
      (error: Error) => error,
    );
  };

  it.each([
    ['no server', { port: '1' }, 'cannot be reached; check that it runs'],
    ['no such host', { hostname: 'nowhere.invalid' }, 'cannot be reached; check that it runs'],
    ['no such database', { pathname: '/nowhere' }, 'has no database with this name'],
    ['no such user', { username: 'nobody' }, 'refuses this user'],
    ['a wrong password', { password: 'guessed-wrong' }, 'refuses this user'],
    ['a parameter of other programs', { search: '?channel_binding=require' }, 'does not know a parameter'],
    ['no such schema', { search: '?search_path=nowhere' }, 'has no schema for the tables'],
  ])('%s', async (_what, change, words) => {
    const error = await refusal(change);
    expect(error.code).toBe('unavailable');
    expect(error.message).toContain(words);
    const { password } = new URL(place.url);
    for (const secret of [password || 'guessed-wrong', 'guessed-wrong']) {
      expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain(secret);
    }
  });

  it('one of several hosts is enough, and an error is reported at once if there is none', async () => {
    const { host } = new URL(place.url);
    const withHosts = (hosts: string): string => place.url.replace(host, hosts);
    await (await openStore({ url: withHosts(`127.0.0.1:1,${host}`) })).close();
    const opening = openStore({ url: withHosts('127.0.0.1:1,127.0.0.1:2'), timeout: 600_000 }); // longer than a test
    await expect(opening).rejects.toThrow('cannot be reached; check that it runs');
  });

  it('an expired certificate is not reported as one of an unknown CA', () => {
    const error = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
    expect(toStorageError(error)).toMatchObject({ message: expect.stringContaining('expired certificate; renew it') });
  });

  it.each(['allow', 'prefer'])('PGSSLMODE=%s accepts a server without TLS', async (mode) => {
    vi.stubEnv('PGSSLMODE', mode);
    onTestFinished(() => void vi.unstubAllEnvs());
    await (await openStore({ url: place.url })).close();
  });

  it('PGSSLMODE does not concern a Unix socket, over which PostgreSQL has no TLS', async () => {
    const folder = await makeFolder();
    const { hostname, port, username, password, pathname } = new URL(place.url);
    const socket = createServer((each) => void each.pipe(connect(Number(port), hostname)).pipe(each));
    await once(socket.listen(join(folder, `.s.PGSQL.${port}`)), 'listening');
    const login = { PGUSER: username, PGPASSWORD: password, PGDATABASE: pathname.slice(1) };
    const variables = { ...login, PGHOST: folder, PGPORT: port, PGSSLMODE: 'require' };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    await (await openStore({ url: undefined })).close();
    socket.close();
  });

  it('the driver is not installed', async () => {
    const missing = loadDriver(() => import('postgres-that-nobody-has' as string));
    await expect(missing).rejects.toThrow(unavailable);
    await expect(missing).rejects.toThrow(/: npm install postgres@\S+ \(with -g if podsync was installed with -g\)$/);
  });
});
