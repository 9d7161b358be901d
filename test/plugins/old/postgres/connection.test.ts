import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import postgresJs, { type Sql } from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../../plugins/old/postgres/connection.ts';
import { Database } from '../../../../plugins/old/postgres/database.ts';
import { loadDriver } from '../../../../plugins/old/postgres/driver.ts';
import { createBareDatabase, type TestDatabase } from '../../../postgres/database.ts';

const context = { dataDir: '', now: () => 1, overlap: 120, log: () => undefined };

/** Milliseconds; less than podsync has. */
const PATIENCE = 1000;

let place: TestDatabase;
let admin: Sql;
let database: Database;

beforeEach(async () => {
  place = await createBareDatabase();
  admin = postgresJs(place.url, { max: 1 });
  database = await Database.open({ url: place.url }, context);
  await admin`CREATE TABLE notes (text text)`;
});
afterEach(async () => {
  await database.close();
  await admin.end();
  await place.destroy();
});

const note = (connection: Connection, text: string) => connection.run('INSERT INTO notes VALUES ($1)', [text]);
const notes = async (): Promise<string[]> =>
  (await admin`SELECT text FROM notes ORDER BY text`).map(({ text }) => text);

/** Ends the server's side of a connection, and waits until it is gone. */
async function cut(connection: Connection): Promise<void> {
  const { pid } = (await connection.run('SELECT pg_backend_pid() AS pid')).rows[0] as { pid: number };
  await admin`SELECT pg_terminate_backend(${pid}, 5000)`;
}

const unavailable = expect.objectContaining({ code: 'unavailable' });

describe('a connection that breaks', () => {
  it('between two statements undoes the transaction, and nothing of it goes another way', async () => {
    const write = database.write(async (connection) => {
      await note(connection, 'first');
      await cut(connection);
      // Somebody else, so that there is another connection to go wrong with.
      await database.write((other) => note(other, 'other'));
      await note(connection, 'second');
    });
    await expect(write).rejects.toThrow(unavailable);
    expect(await notes()).toEqual(['other']);
  });

  it('during a statement undoes the transaction', async () => {
    const write = database.write(async (connection) => {
      await note(connection, 'first');
      const cutting = cut(connection);
      await connection.run('SELECT pg_sleep(30)').catch(() => undefined);
      await cutting;
      await note(connection, 'second');
    });
    await expect(write).rejects.toThrow(unavailable);
    expect(await notes()).toEqual([]);
  });

  it('while nobody uses it is not used again', async () => {
    let broken: Connection | undefined;
    await database.read(async (connection) => {
      broken = connection;
      await cut(connection);
    });
    await database.write((connection) => {
      expect(connection).not.toBe(broken);
      return note(connection, 'after');
    });
    expect(await notes()).toEqual(['after']);
  });
});

it('a statement that nobody waits for takes the transaction with it where it fails', async () => {
  const write = database.write(async (connection) => {
    await note(connection, 'first');
    connection.send('SELECT 1 / 0');
  });
  await expect(write).rejects.toThrow(unavailable);
  expect(await notes()).toEqual([]);
  await database.write((connection) => note(connection, 'after'));
  expect(await notes()).toEqual(['after']);
});

it('statements that are sent together are done in order, and none after one that fails', async () => {
  const texts = ['c', 'a', 'b'];
  await database.write((connection) => Promise.all(texts.map((text) => note(connection, text))));
  expect((await admin`SELECT text FROM notes`).map(({ text }) => text)).toEqual(texts);
  const write = database.write((connection) =>
    Promise.all([note(connection, 'd'), connection.run('SELECT 1 / 0'), note(connection, 'e')]),
  );
  await expect(write).rejects.toThrow('division by zero');
  expect(await notes()).toEqual(['a', 'b', 'c']);
});

it('a deadlock is resolved: both writes are done', async () => {
  await admin`CREATE TABLE counts (id int PRIMARY KEY, count int)`;
  await admin`INSERT INTO counts VALUES (1, 0), (2, 0)`;
  const add = (connection: Connection, id: number) =>
    connection.run('UPDATE counts SET count = count + 1 WHERE id = $1', [id]);
  let begun = 0;
  let release: () => void;
  const bothBegun = new Promise<void>((resolve) => (release = resolve));
  const addBoth = (first: number, second: number): Promise<unknown> =>
    database.write(async (connection) => {
      await add(connection, first);
      if (++begun === 2) release();
      await bothBegun;
      return add(connection, second);
    });
  await Promise.all([addBoth(1, 2), addBoth(2, 1)]);
  expect(await admin`SELECT count FROM counts`).toEqual([{ count: 2 }, { count: 2 }]);
  expect(begun).toBeGreaterThanOrEqual(3); // the one that gave way may come to stand in the way once more
});

it('a statement that is given up, by its time or by hand, passes: it is no fault of podsync', async () => {
  const slow = database.write(async (connection) => {
    await note(connection, 'first');
    await connection.run('SET LOCAL statement_timeout = 1');
    await connection.run('SELECT pg_sleep(30)');
  });
  await expect(slow).rejects.toThrow(unavailable);
  expect(await notes()).toEqual([]);
});

it('a statement may take as long as it takes while the server is there', async () => {
  const patient = await Database.open({ url: place.url, patience: PATIENCE }, context);
  await patient.write(async (connection) => {
    await connection.run('SELECT pg_sleep($1)', [(2.5 * PATIENCE) / 1000]);
    await note(connection, 'in the end');
  });
  await patient.close();
  expect(await notes()).toEqual(['in the end']);
});

it('who asks when all connections are taken waits for one', async () => {
  const seen = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      database.write(async (connection) => (await note(connection, `${n}`), connection)),
    ),
  );
  expect(new Set(seen).size).toBeLessThanOrEqual(10);
  expect(await notes()).toHaveLength(40);
});

describe('between podsync and PostgreSQL', () => {
  let server: Server;
  let sockets: Socket[];

  /** Listens, and answers the URL of the database by way of it. */
  const listen = async (onCall: (socket: Socket) => void): Promise<string> => {
    sockets = [];
    server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      onCall(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return Object.assign(new URL(place.url), { port: (server.address() as AddressInfo).port }).href;
  };
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  /** Hands on what comes, but for what `isCut` says: then the connection ends. While `isSilent` nothing gets through. */
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

  it('a commit whose answer is lost is no success', async () => {
    let isCutting = false;
    const url = await listenBetween(
      (chunk) => isCutting && chunk.includes('COMMIT'),
      (socket) => socket.destroy(),
    );
    const distant = await Database.open({ url }, context);
    isCutting = true;
    await expect(distant.write((connection) => note(connection, 'maybe'))).rejects.toThrow(unavailable);
    isCutting = false;
    await distant.write((connection) => note(connection, 'surely'));
    await distant.close();
    expect(await notes()).toContain('surely');
  });

  it('a reset leaves nobody waiting', async () => {
    const url = await listenBetween(
      (chunk) => chunk.includes('INSERT INTO notes'),
      (socket) => socket.resetAndDestroy(),
    );
    const distant = await Database.open({ url }, context);
    for (let round = 0; round < 20; round += 1) {
      await expect(distant.write((connection) => note(connection, 'never'))).rejects.toThrow(unavailable);
    }
    await distant.close();
    expect(await notes()).toEqual([]);
  });

  it('a server that is gone without a goodbye leaves nobody waiting', async () => {
    let isGone = false;
    const url = await listenBetween(
      () => false,
      () => undefined,
      () => isGone,
    );
    const distant = await Database.open({ url, patience: PATIENCE }, context);
    isGone = true;
    await expect(distant.write((connection) => note(connection, 'never'))).rejects.toThrow(unavailable);
    isGone = false;
    await distant.write((connection) => note(connection, 'again'));
    await distant.close();
    expect(await notes()).toEqual(['again']);
  });

  it('somebody who takes calls and hangs up is no server', async () => {
    const url = await listen((socket) => socket.destroy());
    await expect(Database.open({ url }, context)).rejects.toThrow(unavailable);
    expect(sockets.length).toBeLessThan(5);
  });

  it('somebody who speaks in another way is no server', async () => {
    const url = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await expect(Database.open({ url }, context)).rejects.toThrow();
  });
});

describe('what is wrong is told, without a secret', () => {
  const refusal = async (change: Partial<URL>): Promise<Error & { code?: string }> => {
    const { href } = Object.assign(new URL(place.url), change);
    return Database.open({ url: href }, context).then(
      () => new Error('it opened'),
      (error: Error) => error,
    );
  };

  it.each([
    ['no server', { port: '1' }, 'cannot be reached; check that it runs'],
    ['no such host', { hostname: 'nowhere.invalid' }, 'cannot be reached; check that it runs'],
    ['no such database', { pathname: '/nowhere' }, 'has no database of this name'],
    ['no such user', { username: 'nobody' }, 'does not let this user in'],
    ['a wrong password', { password: 'guessed-wrong' }, 'does not let this user in'],
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

  it('of several hosts one is enough, and that there is none is told at once', async () => {
    const { host } = new URL(place.url);
    const withHosts = (hosts: string): string => place.url.replace(host, hosts);
    await (await Database.open({ url: withHosts(`127.0.0.1:1,${host}`) }, context)).close();
    const began = performance.now();
    const opening = Database.open({ url: withHosts('127.0.0.1:1,127.0.0.1:2') }, context);
    await expect(opening).rejects.toThrow('cannot be reached; check that it runs');
    expect(performance.now() - began).toBeLessThan(9000);
  });

  it('no driver', async () => {
    const missing = loadDriver(() => import('postgres-that-nobody-has' as string));
    await expect(missing).rejects.toThrow(unavailable);
    await expect(missing).rejects.toThrow('npm install postgres@');
  });
});
