import { expect, it } from 'vitest';
import { openTestServer } from '../server.ts';

/* An upload of hundreds of thousands of feeds would keep everybody else waiting for seconds. */

const auth = 'bob:secret';
const LIST = '/subscriptions/bob/phone.json';
const DELTA = '/api/2/subscriptions/bob/phone.json';

const feeds = (count: number): string[] => Array.from({ length: count }, (_, index) => `http://example.org/${index}`);

/** One action on each feed. */
const actions = (count: number): object[] =>
  feeds(count).map((podcast) => ({ podcast, episode: `${podcast}.mp3`, action: 'new' }));

it.each<[string, string, unknown]>([
  ['PUT', LIST, feeds(20_000)],
  ['POST', DELTA, { add: feeds(20_000) }],
])('%s %s takes 20,000 feeds', async (method, path, body) => {
  const { request } = await openTestServer();
  expect((await request(method, path, { auth, body })).status).toBe(200);
  expect(await (await request('GET', LIST, { auth })).json()).toEqual(feeds(20_000));
});

it.each<[string, string, unknown]>([
  ['PUT', LIST, feeds(20_001)],
  ['PUT', '/subscriptions/bob/phone.txt', feeds(20_001).join('\n')],
  ['POST', DELTA, { add: feeds(20_001) }],
  ['POST', DELTA, { add: feeds(20_000), remove: ['http://example.com/'] }],
  ['POST', '/api/1/subscriptions/bob/phone.json', { add: feeds(20_001) }],
  ['POST', '/api/2/lists/bob/create.json?title=x', feeds(20_001)],
  ['PUT', '/api/2/lists/bob/list/mine.json', feeds(20_001)],
  ['POST', '/api/2/episodes/bob.json', actions(20_001)],
])('%s %s refuses more, and nothing changes', async (method, path, body) => {
  const { request } = await openTestServer({ maxBody: 4 * 1024 * 1024 });
  await request('PUT', LIST, { auth, body: feeds(1) });
  await request('POST', '/api/2/lists/bob/create.json?title=mine', { auth, body: feeds(1) });
  const answer = await request(method, path, { auth, body });
  expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('up to 20000 feeds')]);
  expect(await (await request('GET', LIST, { auth })).json()).toEqual(feeds(1));
  expect(await (await request('GET', '/api/2/episodes/bob.json', { auth })).json()).toMatchObject({ actions: [] });
  expect(await (await request('GET', '/api/2/lists/bob.json')).json()).toHaveLength(1);
  expect(await (await request('GET', '/api/2/lists/bob/list/mine.txt')).text()).toBe(`${feeds(1)[0]}\n`);
});
