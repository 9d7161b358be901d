import { expect, it } from 'vitest';
import { recordFeed } from '../podcasts.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { signIn, type Visitor } from './browser.ts';

const LISTS = 'http://localhost/lists';
const A = 'https://feeds.example/a';
const B = 'https://feeds.example/b';

const create = (visitor: Visitor, title: string) => visitor.send('/lists', { title }, LISTS);

/** As anyone can read them. */
const names = async ({ request }: TestServer): Promise<string[]> => {
  const lists = (await (await request('GET', '/api/2/lists/bob.json')).json()) as { name: string }[];
  return lists.map(({ name }) => name);
};
const urls = async ({ request }: TestServer, name: string): Promise<string> =>
  (await request('GET', `/api/2/lists/bob/list/${name}.txt`)).text();

it.each([
  ['public', 'anyone with the link can see a list', 200],
  ['members', 'anyone who is signed in can see the page of a list, and everyone can read it as OPML', 303],
  ['off', 'anyone with the link can see a list', 200],
] as const)('says who sees a list with --directory %s', async (directory, text, status) => {
  const server = await openTestServer({ directory });
  const visitor = await signIn(server);
  await create(visitor, 'Rain');
  expect((await visitor.get('/lists')).html).toContain(text);
  expect((await server.request('GET', '/user/bob/lists/rain')).status).toBe(status);
  expect((await server.request('GET', '/api/2/lists/bob/list/rain.opml')).status).toBe(200);
});

it('creates a list, fills it and shows its public page', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  expect((await visitor.get('/lists')).html).toContain('You have no lists yet.');
  const created = await create(visitor, ' Long drives & rain ');
  expect(created.location).toBe(`${LISTS}/long-drives-rain`);
  for (const url of [A, B, A]) await visitor.send('/lists/long-drives-rain', { url }, `${LISTS}/long-drives-rain/add`);
  expect(await urls(server, 'long-drives-rain')).toBe(`${A}\n${B}\n`);
  const { html } = await visitor.get('/lists/long-drives-rain');
  expect(html).toContain('2 podcasts · Public link: <a href="http://localhost/user/bob/lists/long-drives-rain">');
  await visitor.send('/lists/long-drives-rain', { url: A }, `${LISTS}/long-drives-rain/remove`);
  expect(await urls(server, 'long-drives-rain')).toBe(`${B}\n`);
  expect((await visitor.get('/lists')).html).toContain('aria-label="Public page of Long drives &amp; rain"');
  const shared = await server.request('GET', '/user/bob/lists/long-drives-rain');
  expect(await shared.text()).toContain('Long drives &amp; rain');
});

it('renames, moves and, if that is confirmed, deletes; the link of a list stays', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  for (const title of ['One', 'Two', 'Three']) await create(visitor, title);
  await visitor.send('/lists', {}, `${LISTS}/three/up#up-three`);
  expect(await names(server)).toEqual(['one', 'three', 'two']);
  await visitor.send('/lists', {}, `${LISTS}/one/down#down-one`);
  expect(await names(server)).toEqual(['three', 'one', 'two']);
  const renamed = await visitor.send('/lists/one', { title: ' Uno ' }, `${LISTS}/one/rename`);
  expect((await visitor.get(renamed.location!)).html).toContain('<h1>Uno</h1>');
  expect((await visitor.get(renamed.location!)).html).toContain('List renamed.');
  expect(await names(server)).toEqual(['three', 'one', 'two']);
  const kept = await visitor.send('/lists/one', {}, `${LISTS}/one/delete`);
  expect([kept.status, kept.html]).toEqual([400, expect.stringContaining('Nothing was changed: check the box')]);
  expect(await names(server)).toEqual(['three', 'one', 'two']);
  const deleted = await visitor.send('/lists/one', { confirm: 'on' }, `${LISTS}/one/delete`);
  expect(deleted.location).toBe(`${LISTS}?done=deleted`);
  expect((await visitor.get(deleted.location!)).html).toContain('List deleted.');
  expect(await names(server)).toEqual(['three', 'two']);
});

it.each<[string, string, Record<string, string>, string]>([
  ['/lists', '', { title: '!!!' }, 'must contain a letter or digit'],
  ['/lists', '', { title: 'ONE' }, 'A list with a similar title exists; choose another.'],
  ['/lists', '', { title: 'Two', csrf: 'old' }, 'This form was too old'],
  ['/lists/one', '/add', { url: 'nothing' }, 'A feed address must begin with http:// or https://.'],
  ['/lists/one', '/rename', { title: '!!!' }, 'must contain a letter or digit'],
  ['/lists/one', '/rename', { title: 'Two', csrf: 'old' }, 'This form was too old'],
])('shows the form of %s%s again with the entered values: %j', async (path, form, fields, problem) => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  await create(visitor, 'One');
  const again = await visitor.send(path, fields, `http://localhost${path}${form}`);
  expect(again.status).toBe(400);
  expect(again.html).toContain(problem);
  expect(again.html).toContain(`value="${fields.title ?? fields.url}"`);
  expect(await names(server)).toEqual(['one']);
});

it('offers to move a list only where there is a place for it', async () => {
  const visitor = await signIn(await openTestServer());
  const buttons = async () =>
    Array.from(
      (await visitor.get('/lists')).html.matchAll(/aria-label="Move (\w+ \w+)"( disabled)?/g),
      ([, name, disabled]) => name + (disabled ?? ''),
    );
  await create(visitor, 'One');
  expect(await buttons()).toEqual([]);
  for (const title of ['Two', 'Three']) await create(visitor, title);
  expect(await buttons()).toEqual([
    'One up disabled',
    'One down',
    'Two up',
    'Two down',
    'Three up',
    'Three down disabled',
  ]);
});

it('suggests the subscriptions that are not on a list yet, also private ones, which its owner sees by name', async () => {
  const server = await openTestServer();
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth: 'bob:secret', body: [A, B] });
  const body = { set: { public_subscriptions: false }, remove: [] };
  await server.request('POST', '/api/2/settings/bob/account.json', { auth: 'bob:secret', body });
  await recordFeed(server.storage, A, { title: 'Private' });
  const visitor = await signIn(server);
  await create(visitor, 'One');
  const suggested = (html: string) =>
    html.match(/<datalist id="suggested">.*?<\/datalist>/s)![0].match(/value="[^"]*"/g);
  const { html } = await visitor.get('/lists/one');
  expect(html).toContain(' list="suggested"');
  expect(suggested(html)).toEqual([`value="${A}"`, `value="${B}"`]);
  const added = await visitor.send('/lists/one', { url: ` ${A} ` }, `${LISTS}/one/add`);
  const after = (await visitor.get(added.location!)).html;
  expect(after).toContain('Podcast added.');
  expect(suggested(after)).toEqual([`value="${B}"`]);
  expect(after).toContain('aria-label="Remove Private"');
  expect(after).toContain('name="title" type="text" value="One"');
});

it('shows a long list in pages of a hundred, and the last one for a page that is gone', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  const body = Array.from({ length: 150 }, (_, at) => `https://feeds.example/${at}`);
  await server.request('POST', '/api/2/lists/bob/create.json?title=One', { auth: 'bob:secret', body });
  const shown = async (page: number): Promise<unknown[]> => {
    const { html } = await visitor.get(`/lists/one?page=${page}`);
    return [html.match(/aria-label="Remove /g)!.length, /Page . of ./.exec(html)![0]];
  };
  expect([await shown(1), await shown(2), await shown(3)]).toEqual([
    [100, 'Page 1 of 2'],
    [50, 'Page 2 of 2'],
    [50, 'Page 2 of 2'],
  ]);
  expect((await visitor.get('/lists/one')).html).toContain('150 podcasts');
});

it('refuses a podcast beyond the largest list', async () => {
  const server = await openTestServer();
  const visitor = await signIn(server);
  await create(visitor, 'One');
  const body = Array.from({ length: 1000 }, (_, n) => `https://feeds.example/${n}`);
  await server.request('PUT', '/api/2/lists/bob/list/one.json', { auth: 'bob:secret', body });
  const again = await visitor.send('/lists/one', { url: A }, `${LISTS}/one/add`);
  expect([again.status, again.html]).toEqual([400, expect.stringContaining('up to 1000 feeds')]);
  expect((await urls(server, 'one')).split('\n')).toHaveLength(1001);
});

it('is a 404 for a list of another user', async () => {
  const server = await openTestServer();
  await create(await signIn(server, 'eve'), 'Mine');
  const visitor = await signIn(server);
  expect((await visitor.get('/lists/mine')).status).toBe(404);
});
