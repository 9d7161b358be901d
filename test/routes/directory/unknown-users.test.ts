import { expect, it, type Mock, vi } from 'vitest';
import { logIn, openTestServer, type RequestOptions, type TestServer } from '../../server.ts';

/** Paths of a user that need no login. */
const PATHS = [
  '/api/2/lists/bob.json',
  '/api/2/lists/bob/list/x.json',
  '/api/2/lists/bob/list/x.jsonp?jsonp=f',
  '/api/2/lists/bob/list/x.jsonp',
  '/api/2/lists/bob/list/x.txt',
  '/api/2/lists/bob/list/x.opml',
  '/user/bob',
  '/user/bob?page=2',
  '/user/bob/subscriptions.opml',
  '/user/bob/lists/x',
];

/** A response without the session of the client. */
async function get({ request }: TestServer, path: string, options: RequestOptions): Promise<unknown> {
  const answer = await request('GET', path, options);
  const headers = Object.fromEntries(answer.headers);
  if (headers['set-cookie']) headers['set-cookie'] = 'sessionid';
  return { status: answer.status, headers, text: await answer.text() };
}

async function openWithPrivateUser(): Promise<TestServer> {
  const server = await openTestServer();
  const auth = 'bob:secret';
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: ['http://example.org/a'] });
  const body = { set: { public_subscriptions: false }, remove: [] };
  expect((await server.request('POST', '/api/2/settings/bob/account.json', { auth, body })).status).toBe(200);
  return server;
}

const OTHER_CLIENTS: [string, RequestOptions][] = [
  ['anybody', {}],
  ['another user', { auth: 'eve:secret' }],
  ['a client with a wrong password', { auth: 'bob:wrong' }],
  ['a client with a stale cookie', { cookie: 'stale' }],
];

it.each(PATHS)('%s of a user without public data looks to others like that of an unknown user', async (path) => {
  const server = await openWithPrivateUser();
  for (const [who, options] of OTHER_CLIENTS) {
    const answer = await get(server, path, options);
    expect(answer, who).toEqual(await get(server, path.replace('bob', 'nobody'), options));
    expect([400, 401, 404], who).toContain((answer as { status: number }).status);
  }
});

/** Records a read. Storages may reject one for an unknown user; here it returns nothing instead, as in most. */
function watch(store: object, name: string, nothing: unknown): Mock {
  const reads = store as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const read = reads[name]!.bind(store);
  return vi.spyOn(reads, name).mockImplementation((...given) => read(...given).catch(() => nothing));
}

it.each(PATHS)('%s of an unknown user takes the same reads as that of a user without public data', async (path) => {
  const server = await openWithPrivateUser();
  const { users, lists, settings, subscriptions } = server.storage;
  const watched = [
    watch(users, 'find', undefined),
    watch(lists, 'all', []),
    watch(lists, 'find', undefined),
    watch(settings, 'get', {}),
    watch(settings, 'withKey', []),
    watch(subscriptions, 'current', []),
  ];
  const countReads = async (name: string): Promise<number[]> => {
    for (const read of watched) read.mockClear();
    await server.request('GET', path.replace('bob', name));
    return watched.map((read) => read.mock.calls.length);
  };
  expect(await countReads('nobody')).toEqual(await countReads('bob'));
});

it('the owner receives an empty array if there are no lists', async () => {
  const server = await openTestServer();
  for (const options of [{ auth: 'bob:secret' }, { cookie: await logIn(server) }]) {
    const answer = await server.request('GET', '/api/2/lists/BOB.json', options);
    expect([answer.status, await answer.json(), answer.headers.get('cache-control')]).toEqual([200, [], 'no-store']);
  }
});
