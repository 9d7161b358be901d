import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/types.ts';
import type { AccountList } from '../../../src/routes/operator/users.ts';
import { StorageError } from '../../../src/storage/errors.ts';
import { recordFeed } from '../../podcasts.ts';
import { fillAccount, fillServer, readAccount } from '../../sample-account.ts';
import { logIn, openTestServer, type Target, TARGETS, type TestServer } from '../../server.ts';
import { openOwn } from '../nextcloud/app.ts';
import { openDevice } from '../nextcloud/connection.ts';

const FEED = 'http://example.org/feed';

const open = (users: readonly string[], target: Target = 'in-process'): Promise<TestServer> =>
  openTestServer({ users, operator: true, baseUrl: 'http://pods.example' }, target);

const openFilled = async (target?: Target): Promise<TestServer> => fillServer(await open(['bob', 'eve'], target));

const backUp = async (server: TestServer, query = ''): Promise<string> =>
  (await server.request('GET', `/operator/backup${query}`)).text();

const restore = async (server: TestServer, body: unknown, query = ''): Promise<any> =>
  (await server.request('POST', `/operator/backup${query}`, { body })).json();

const createAppPassword = async ({ services }: TestServer, name: string): Promise<string> =>
  services.appPasswords.create((await services.accounts.findByName(name))!.id, 'Kodi');

async function* inLines(text: string): AsyncIterable<Uint8Array> {
  for (const line of text.split(/(?<=\n)/)) yield Buffer.from(line);
}

const namesIn = async (server: TestServer): Promise<string[]> => {
  const { accounts } = (await (await server.request('GET', '/operator/users')).json()) as AccountList;
  return accounts.map(({ name }) => name);
};

describe.each(TARGETS)('%s', (target) => {
  it('a backup moves everything to another server, whose backup is identical', async () => {
    const source = await openFilled(target);
    const cookie = await logIn(source);
    const backup = await backUp(source);
    const copy = await open([], target);
    const counts = { devices: 4, subscriptions: 4, actions: 50, lists: 2, password: true, problem: null };
    expect(await restore(copy, backup)).toEqual({
      accounts: [
        { name: 'bob', ...counts },
        { name: 'eve', ...counts },
      ],
      podcasts: 4,
      episodes: 1,
    });
    expect(await backUp(copy)).toBe(backup);
    for (const name of ['bob', 'eve']) expect(await readAccount(copy, name)).toEqual(await readAccount(source, name));
    expect((await copy.request('GET', '/api/2/devices/bob.json', { cookie })).status).toBe(200);
    const podcast = await copy.request('GET', `/api/2/data/podcast.json?url=${FEED}`);
    expect(await podcast.json()).toMatchObject({ title: 'Alpha', subscribers: 2 });
  });

  it('accepts a compressed backup, and clients continue where they were', async () => {
    const source = await openFilled(target);
    const path = '/api/2/subscriptions/bob/phone.json';
    const { timestamp } = (await (await source.request('GET', path, { auth: 'bob:secret' })).json()) as any;
    const copy = await open([], target);
    await restore(copy, gzipSync(await backUp(source)));
    copy.clock.now = source.clock.now;
    const upload = { add: ['http://example.org/new'] };
    await copy.request('POST', path, { auth: 'bob:secret', body: upload });
    const later = await copy.request('GET', `${path}?since=${timestamp}`, { auth: 'bob:secret' });
    expect(await later.json()).toMatchObject({ add: upload.add, remove: [] });
  });

  it('an app of the Nextcloud dialect receives a removal that it had not received before the backup', async () => {
    const source = await open(['bob'], target);
    await openDevice(source).change([FEED]);
    const { add, timestamp } = await openOwn(source).pull(0);
    expect(add).toEqual([FEED]);
    await openDevice(source).change([], [FEED]);
    const copy = await open([], target);
    await restore(copy, await backUp(source));
    const { remove } = await openOwn(copy).pull(timestamp);
    expect(remove).toEqual([FEED]);
  });

  it('refuses an incomplete or altered backup, and a dry run changes nothing', async () => {
    const backup = await backUp(await openFilled(target));
    const copy = await open(['mallory'], target);
    const before = await backUp(copy);
    const lines = backup.split('\n').length - 1;
    expect(await restore(copy, backup.slice(0, -1), '?dryRun=true')).toEqual({
      code: 400,
      message: `line ${lines} of the backup was cut off or altered: it is incomplete; take another copy of it`,
    });
    const altered = backup.replace('"My <phone>"', '"My <Phone>"');
    const line = backup.slice(0, backup.indexOf('"My <phone>"')).split('\n').length;
    expect((await restore(copy, altered, '?dryRun=true')).message).toMatch(`line ${line} of the backup was cut off`);
    expect(await restore(copy, backup, '?dryRun=true')).toMatchObject({ accounts: [{ name: 'bob' }, { name: 'eve' }] });
    expect(await namesIn(copy)).toEqual(['mallory']);
    expect(await backUp(copy)).toBe(before);
  });
});

it('contains only the named users, without the directory', async () => {
  const server = await openFilled();
  const kinds = (text: string): string[] => [...text.matchAll(/^\{"kind":"([^"]+)"/gm)].map(([, kind]) => kind!);
  const one = await backUp(server, '?user=EVE&user=eve');
  expect(kinds(one).filter((kind) => ['user', 'podcast', 'tag', 'toplist'].includes(kind))).toEqual(['user']);
  expect(one).toContain('{"kind":"user","name":"eve"');
  const both = await backUp(server, '?user=eve&user=bob');
  expect([...both.matchAll(/"kind":"user","name":"(\w+)"/g)].map(([, name]) => name)).toEqual(['bob', 'eve']);
  const unknown = await server.request('GET', '/operator/backup?user=bob&user=nobody');
  expect(unknown.status).toBe(404);
});

it('the podcasts of an account are in the directory at once, though its backup has none', async () => {
  const one = await backUp(await openFilled(), '?user=eve');
  const copy = await open([]);
  await restore(copy, one);
  const podcast = await copy.request('GET', `/api/2/data/podcast.json?url=${FEED}`);
  expect(await podcast.json()).toMatchObject({ url: FEED, subscribers: 1 });
});

it.each(['™', 'ﷺ'])('the longest tags of a feed are imported, also if they are longer as slugs: %s', async (letter) => {
  const source = await openFilled();
  await recordFeed(source.storage, FEED, { tags: [`${'x'.repeat(99)}${letter}`, letter.repeat(100)] }, []);
  const backup = await backUp(source);
  const copy = await open([]);
  expect(await restore(copy, backup)).toMatchObject({ podcasts: 4 });
  expect(await backUp(copy)).toBe(backup);
});

it('without passwords nobody can log in until a new one is set', async () => {
  const source = await openFilled();
  const cookie = await logIn(source);
  const token = await createAppPassword(source, 'bob');
  const backup = await backUp(source, '?withoutPasswords=true');
  expect(backup).not.toMatch(/passwordHash|"kind":"(session|appPassword)"/);
  const copy = await open([]);
  expect((await restore(copy, backup)).accounts).toMatchObject([{ password: false }, { password: false }]);
  const devices = '/api/2/devices/bob.json';
  for (const way of [{ auth: 'bob:secret' }, { auth: `bob:${token}` }, { auth: 'bob:' }, { cookie }]) {
    expect((await copy.request('GET', devices, way)).status).toBe(401);
  }
  expect(await backUp(copy, '?withoutPasswords=true')).toBe(backup);
  // Links to choose a password are signed with it.
  const hashes = (await copy.storage.users.all()).map(({ passwordHash }) => passwordHash);
  expect(hashes).toEqual([expect.stringMatching(/^.{60}$/), expect.stringMatching(/^.{60}$/)]);
  expect(hashes[0]).not.toBe(hashes[1]);
  await copy.request('PUT', '/operator/users/bob/password', { body: { password: 'new' } });
  expect((await copy.request('GET', devices, { auth: 'bob:new' })).status).toBe(200);
});

it('skips an existing account and imports the others', async () => {
  const backup = await backUp(await openFilled());
  const copy = await open(['Bob']);
  const before = await readAccount(copy, 'Bob');
  const expected = [
    { name: 'bob', actions: 50, problem: 'an account with this name already exists' },
    { name: 'eve', actions: 50, problem: null },
  ];
  expect(await restore(copy, backup, '?dryRun=true')).toMatchObject({ accounts: expected, podcasts: 4 });
  expect(await namesIn(copy)).toEqual(['Bob']);
  expect(await restore(copy, backup)).toMatchObject({ accounts: expected, podcasts: 4 });
  expect(await readAccount(copy, 'Bob')).toEqual(before);
  expect(await readAccount(copy, 'eve')).toHaveLength(before.length);
  expect(await namesIn(copy)).toEqual(['Bob', 'eve']);
});

it('skips an account whose e-mail address is taken, and reports it', async () => {
  const account = { password: 'secret', email: 'b@example.org' };
  const source = await open([]);
  await source.services.accounts.create({ name: 'bob', ...account });
  const copy = await open([]);
  await copy.services.accounts.create({ name: 'robert', ...account });
  expect((await restore(copy, await backUp(source))).accounts).toMatchObject([
    { name: 'bob', problem: 'another account has its e-mail address' },
  ]);
  expect(await namesIn(copy)).toEqual(['robert']);
});

it('skips an account that is created while the backup is imported', async () => {
  const backup = await backUp(await openFilled());
  const copy = await open([]);
  const { importUser } = copy.storage.transfer;
  copy.storage.transfer.importUser = async (records) => {
    await copy.services.accounts.create({ name: 'bob', password: 'secret' }).catch(() => undefined);
    return importUser(records);
  };
  expect((await restore(copy, backup)).accounts).toMatchObject([
    { name: 'bob', actions: 50, problem: expect.stringContaining('already') },
    { name: 'eve', actions: 50, problem: null },
  ]);
});

describe('another name', () => {
  it('creates a copy of the account, without its e-mail address, sessions and app passwords', async () => {
    const server = await open([]);
    await server.services.accounts.create({ name: 'bob', email: 'b@example.org', password: 'secret' });
    await fillAccount(server, 'bob');
    await logIn(server);
    const token = await createAppPassword(server, 'bob');
    const backup = await backUp(server, '?user=bob');
    expect((await restore(server, backup, '?as=robert')).accounts).toMatchObject([{ name: 'robert', problem: null }]);
    const copy = await server.request('GET', '/operator/users/robert');
    expect(await copy.json()).toMatchObject({ name: 'robert', email: null, actions: 50, sessions: 0 });
    const original = await server.request('GET', '/operator/users/bob');
    expect(await original.json()).toMatchObject({ name: 'bob', email: 'b@example.org', actions: 50 });
    const statusOf = async (name: string, password: string): Promise<number> =>
      (await server.request('GET', `/api/2/devices/${name}.json`, { auth: `${name}:${password}` })).status;
    expect([await statusOf('robert', 'secret'), await statusOf('robert', token)]).toEqual([200, 401]);
    const { id } = (await server.services.accounts.findByName('robert'))!;
    expect(await server.services.appPasswords.all(id)).toEqual([]);
    expect(await statusOf('bob', token)).toBe(200);
    expect((await restore(server, backup, '?as=robert')).accounts[0].problem).toMatch(/already/);

    const elsewhere = await open([]); // where no account has these sessions and app passwords yet
    await restore(elsewhere, backup, '?as=robert');
    const other = await elsewhere.request('GET', '/operator/users/robert');
    expect(await other.json()).toMatchObject({ name: 'robert', email: null, actions: 50, sessions: 0 });
    const auth = `robert:${token}`;
    expect((await elsewhere.request('GET', '/api/2/devices/robert.json', { auth })).status).toBe(401);
  });

  it('is refused for several accounts, for none, and if it is invalid', async () => {
    const both = await backUp(await openFilled());
    const server = await open([]);
    const none = await backUp(server);
    expect((await restore(server, both, '?as=robert&dryRun=true')).message).toMatch(
      /needs a backup of a single account/,
    );
    expect((await restore(server, none, '?as=robert')).message).toMatch(/needs a backup of a single account/);
    const one = await backUp(await open(['bob']), '?user=bob');
    expect((await restore(server, one, '?as=a/b')).message).toMatch(/^a user name is/);
    expect(await namesIn(server)).toEqual([]);
  });
});

it('an interrupted import leaves each account complete or absent', async () => {
  const backup = await backUp(await openFilled());
  const copy = await open([]);
  const broken = backup.replace(/("name":"eve"[^]*?"timestamp":)10\b/, '$111');
  await expect(copy.services.transfer.import(inLines(broken), { dryRun: false })).rejects.toThrow(
    /^line \d+ of the backup was cut off or altered/,
  );
  expect(await namesIn(copy)).toEqual(['bob']);
  expect((await restore(copy, backup)).accounts).toMatchObject([{ problem: expect.any(String) }, { problem: null }]);
  expect(await backUp(copy)).toBe(backup);
});

it('a backup that fails reports it in its last line', async () => {
  const server = await openFilled();
  const { exportUser } = server.storage.transfer;
  let exported = 0;
  server.storage.transfer.exportUser = (user: UserId) => {
    if (exported++ === 0) return exportUser(user);
    throw new StorageError('corrupt', 'account.json is damaged');
  };
  const lines = (await backUp(server)).trimEnd().split('\n');
  expect(lines.at(-1)).toBe('{"message":"account.json is damaged"}');
  expect(lines.length).toBeGreaterThan(50);
});

it('a backup is incomplete if an account is deleted while it is read', async () => {
  const server = await openFilled();
  const { exportUser } = server.storage.transfer;
  server.storage.transfer.exportUser = async function* (user: UserId) {
    for await (const page of exportUser(user)) {
      yield page;
      throw new StorageError('missing', 'the account does not exist');
    }
  };
  const message = 'the account bob was deleted while it was read; run this again';
  expect((await backUp(server)).trimEnd().split('\n').at(-1)).toBe(JSON.stringify({ message }));
});

it.each<[method: 'GET' | 'POST', path: string]>([
  ['GET', '/operator/backup'],
  ['POST', '/operator/backup'],
  ['POST', '/operator/check'],
])('%s %s is not available over the network', async (method, path) => {
  const server = await openTestServer();
  expect((await server.request(method, path, { auth: 'bob:secret' })).status).toBe(404);
});
