import { describe, expect, it, vi } from 'vitest';
import { recordFeed } from '../../podcasts.ts';
import { openTestServer, TARGETS, type TestServer, type TestServerOptions } from '../../server.ts';

const auth = 'bob:secret';
const A = 'http://example.org/a?x=1&y=2';
const B = 'http://example.org/b';
const C = 'http://example.org/c';
const PAGE = '/user/bob';
const SHARED = '/user/bob/subscriptions.opml';

/** Bob subscribes to A on one device, and to B and C on another. */
async function openFilled(options: TestServerOptions = {}, target = TARGETS[0] as (typeof TARGETS)[number]) {
  const server = await openTestServer(options, target);
  await subscribe(server, 'phone', [A]);
  await subscribe(server, 'laptop', [B, C]);
  return server;
}

const subscribe = ({ request }: TestServer, device: string, body: string[]): Promise<Response> =>
  request('PUT', `/subscriptions/bob/${device}.json`, { auth, body });

async function set({ request }: TestServer, scope: string, values: object, podcast?: string): Promise<void> {
  const query = podcast === undefined ? '' : `?podcast=${encodeURIComponent(podcast)}`;
  const body = { set: values, remove: [] };
  const answer = await request('POST', `/api/2/settings/bob/${scope}.json${query}`, { auth, body });
  expect(answer.status).toBe(200);
}

/** The public podcasts of bob, which are the same on the page and in the OPML. */
async function shownOf({ request }: TestServer): Promise<string[]> {
  const page = await (await request('GET', PAGE)).text();
  const linked = [...page.matchAll(/\/podcast\?url=([^"]*)/g)].map(([, url]) => decodeURIComponent(url!));
  const opml = await (await request('GET', SHARED)).text();
  const shared = [...opml.matchAll(/xmlUrl="([^"]*)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&'));
  expect(shared).toEqual(linked);
  return linked;
}

describe.each(TARGETS)('the page of a user (%s)', (target) => {
  it('shows the podcasts of all devices, with what is known about them, and the lists', async () => {
    const baseUrl = 'https://sync.example/pods';
    const server = await openFilled({ baseUrl }, target);
    await recordFeed(server.storage, A, { title: '<b>One & all</b>', author: 'Ann' });
    await server.request('POST', '/api/2/lists/bob/create.json?title=%3Ci%3EMine%3C%2Fi%3E', { auth, body: [B] });
    const answer = await server.request('GET', '/user/BOB');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, no-cache');
    expect(answer.headers.get('vary')).toContain('cookie');
    const page = await answer.text();
    expect(page).toContain('<h1>bob</h1>');
    expect(page).toContain('bob subscribes to 3 podcasts');
    expect(page).toContain(
      `<a href="${baseUrl}/podcast?url=${encodeURIComponent(A)}">&lt;b&gt;One &amp; all&lt;/b&gt;</a>`,
    );
    expect(page).toContain('Ann');
    expect(page).toContain(`href="${baseUrl}${SHARED}"`);
    expect(page).toContain(`<a href="${baseUrl}/user/bob/lists/i-mine-i">&lt;i&gt;Mine&lt;/i&gt;</a>`);
    expect((await server.request('GET', `/user/bob/lists/i-mine-i`)).status).toBe(200);
  });

  it('links to the same podcasts as OPML', async () => {
    const server = await openFilled({}, target);
    await recordFeed(server.storage, B, { title: 'Two' });
    const answer = await server.request('GET', SHARED);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/x-opml+xml; charset=utf-8']);
    const opml = await answer.text();
    expect(opml).toContain('<title>Subscriptions of bob</title>');
    expect(opml).toContain('Two');
    expect(await shownOf(server)).toEqual([A, B, C]);
  });
});

it('a profile names only what it has, and has as many pages as its lists need', async () => {
  const server = await openTestServer();
  const { id } = (await server.services.accounts.findByName('bob'))!;
  await subscribe(server, 'phone', [A]);
  const read = async (query = ''): Promise<string> => (await server.request('GET', `${PAGE}${query}`)).text();
  expect(await read()).not.toContain('Lists');
  for (let at = 0; at <= 100; at += 1) await server.services.lists.create(id, `List ${at}`, []);
  expect((await read()).match(/bob\/lists\//g)).toHaveLength(100);
  expect((await read('?page=2')).match(/bob\/lists\//g)).toHaveLength(1);
  await set(server, 'account', { public_subscriptions: false });
  const lists = await read();
  expect(lists).toContain('List 99');
  expect(lists).not.toMatch(/subscribes|OPML/);
});

describe('what a user keeps private', () => {
  it('is a podcast with public_subscription false', async () => {
    const server = await openFilled();
    await set(server, 'podcast', { public_subscription: false }, B);
    expect(await shownOf(server)).toEqual([A, C]);
    const page = await (await server.request('GET', PAGE)).text();
    expect(page).toContain('2 podcasts');
    await set(server, 'podcast', { public_subscription: true }, B);
    expect(await shownOf(server)).toEqual([A, B, C]);
  });

  it('is everything except podcasts with public_subscription true, if public_subscriptions is false', async () => {
    const server = await openFilled();
    await set(server, 'account', { public_subscriptions: false });
    expect(await shownOf(server)).toEqual([]);
    await set(server, 'podcast', { public_subscription: true }, C);
    expect(await shownOf(server)).toEqual([C]);
  });

  it('is everything if public_profile is false', async () => {
    const server = await openFilled();
    await server.request('POST', '/api/2/lists/bob/create.json?title=Mine', { auth, body: [B] });
    await set(server, 'podcast', { public_subscription: true }, C);
    await set(server, 'account', { public_profile: false, public_subscriptions: true });
    expect((await server.request('GET', PAGE)).status).toBe(404);
    expect((await server.request('GET', SHARED)).status).toBe(404);
  });

  it.each([[null], [0], ['false'], [{}], [[true]]])('is everything if public_profile is %j', async (value) => {
    const server = await openFilled();
    await server.request('POST', '/api/2/lists/bob/create.json?title=Mine', { auth, body: [B] });
    await set(server, 'account', { public_profile: value });
    expect((await server.request('GET', PAGE)).status).toBe(404);
  });

  it('is everything at once, also on a page that is being read', async () => {
    const server = await openFilled();
    vi.spyOn(server.storage.subscriptions, 'listed').mockImplementationOnce(async () => {
      await set(server, 'account', { public_profile: false });
      return [A];
    });
    expect((await server.request('GET', PAGE)).status).toBe(404);
  });

  it.each([[null], [0], ['false'], [{}], [[true]]])('includes a podcast whose setting is %j', async (mark) => {
    const server = await openFilled();
    await set(server, 'podcast', { public_subscription: mark }, B);
    expect(await shownOf(server)).toEqual([A, C]);
  });

  it('stays private when the feed moves and apps follow it', async () => {
    const server = await openFilled();
    await set(server, 'podcast', { public_subscription: false }, B);
    await recordFeed(server.storage, B, { title: 'Two' }, [], { movedTo: 'http://example.org/moved' });
    await subscribe(server, 'laptop', ['http://example.org/moved', C]);
    expect(await shownOf(server)).toEqual([A, C]);
    await set(server, 'podcast', { public_subscription: null }, 'http://example.org/moved');
    await set(server, 'podcast', { public_subscription: true }, B);
    await subscribe(server, 'tablet', [B]);
    expect(await shownOf(server)).toEqual([A, C]);
  });

  it('is the name and password in the address of a feed', async () => {
    const server = await openFilled();
    const { id } = (await server.storage.users.find('bob'))!;
    await server.storage.subscriptions.replace(id, 'phone', ['https://bob:hunter2@example.org/a']);
    expect(await shownOf(server)).toEqual([B, C]);
  });
});

it.each([PAGE, SHARED])(
  '%s without subscriptions, or of an e-mail address, is the same as that of an unknown user',
  async (path) => {
    const server = await openTestServer();
    const nobody = await server.request('GET', path.replace('bob', 'nobody'));
    const unknown = await nobody.text();
    expect(nobody.status).toBe(404);
    const expectNothing = async (name: string): Promise<void> => {
      const answer = await server.request('GET', path.replace('bob', name));
      expect([answer.status, await answer.text()]).toEqual([404, unknown]);
    };
    await expectNothing('bob');
    await subscribe(server, 'phone', [A]);
    expect((await server.request('GET', path)).status).toBe(200);
    await server.services.accounts.create({ name: 'mel', email: 'mel@example.org', password: 'secret' });
    await expectNothing('mel%40example.org');
  },
);
