import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openTestServer } from '../../server.ts';

/* An upload of hundreds of thousands of feeds, or of thousands of devices, would block all other requests. */

const auth = 'bob:secret';
const LIST = '/subscriptions/bob/phone.json';
const DELTA = '/api/2/subscriptions/bob/phone.json';
const EPISODES = '/api/2/episodes/bob.json';

const feeds = (count: number): string[] => Array.from({ length: count }, (_, index) => `http://example.org/${index}`);

/** One action on each feed. */
const actions = (count: number): object[] =>
  feeds(count).map((podcast) => ({ podcast, episode: `${podcast}.mp3`, action: 'new' }));

it.each<[string, string, unknown]>([
  ['PUT', LIST, feeds(20_000)],
  ['POST', DELTA, { add: feeds(20_000) }],
])('%s %s accepts 20,000 feeds', async (method, path, body) => {
  const { request } = await openTestServer();
  expect((await request(method, path, { auth, body })).status).toBe(200);
  expect(await (await request('GET', LIST, { auth })).json()).toEqual(feeds(20_000));
});

/** Actions on one feed, one by each device, and one without a device. */
const byDevices = (count: number): object[] =>
  ['', ...Array.from({ length: count }, (_, index) => `device-${index}`)].map((device) => ({
    podcast: 'http://example.org/',
    episode: `http://example.org/${device}.mp3`,
    action: 'new',
    device,
  }));

it('one upload accepts actions of up to 100 devices', async () => {
  const { request } = await openTestServer();
  const countDevices = async (): Promise<number> => {
    const devices: any = await (await request('GET', '/api/2/devices/bob.json', { auth })).json();
    return devices.length;
  };
  const refused = await request('POST', EPISODES, { auth, body: byDevices(101) });
  expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('up to 100 devices')]);
  expect(await countDevices()).toBe(0);
  expect((await request('POST', EPISODES, { auth, body: byDevices(100) })).status).toBe(200);
  expect(await countDevices()).toBe(100);
});

it.each<[string, string, unknown]>([
  ['PUT', LIST, feeds(20_001)],
  ['PUT', '/subscriptions/bob/phone.txt', feeds(20_001).join('\n')],
  ['POST', DELTA, { add: feeds(20_001) }],
  ['POST', DELTA, { add: feeds(20_000), remove: ['http://example.com/'] }],
  ['POST', '/api/1/subscriptions/bob/phone.json', { add: feeds(20_001) }],
  ['POST', '/api/2/lists/bob/create.json?title=x', feeds(20_001)],
  ['PUT', '/api/2/lists/bob/list/mine.json', feeds(20_001)],
  ['POST', EPISODES, actions(20_001)],
])('%s %s refuses more feeds, and nothing changes', async (method, path, body) => {
  const { request } = await openTestServer({ maxBody: 4 * 1024 * 1024 });
  await request('PUT', LIST, { auth, body: feeds(1) });
  await request('POST', '/api/2/lists/bob/create.json?title=mine', { auth, body: feeds(1) });
  const answer = await request(method, path, { auth, body });
  expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('up to 20000 feeds')]);
  expect(await (await request('GET', LIST, { auth })).json()).toEqual(feeds(1));
  expect(await (await request('GET', EPISODES, { auth })).json()).toMatchObject({ actions: [] });
  expect(await (await request('GET', '/api/2/lists/bob.json')).json()).toHaveLength(1);
  expect(await (await request('GET', '/api/2/lists/bob/list/mine.txt')).text()).toBe(`${feeds(1)[0]}\n`);
});

it('the error for a body that is too large states the limit in the units of `--max-body`', async () => {
  const body = 'x'.repeat(64 * 1024 + 1);
  const { request } = await openTestServer({ maxBody: 64 * 1024 });
  const refuse = async (options: object) =>
    ((await (await request('PUT', LIST, { auth, ...options })).json()) as any).message;
  expect(await refuse({ body })).toBe('the request body is larger than 64 KiB');
  expect(await refuse({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } })).toBe(
    'the request body is larger than 64 KiB after decompression',
  );
});

it('does not ask for the rest of a whole list in a second upload, which would remove the first feeds', async () => {
  const { request } = await openTestServer();
  const answer = await request('PUT', LIST, { auth, body: feeds(20_001) });
  expect(await answer.text()).toContain('up to 20000 feeds; this one has 20001"');
});

it('imports its own OPML with millions of characters, and serves others meanwhile', async () => {
  const { request, storage } = await openTestServer({ maxBody: 16 * 1024 * 1024 });
  await request('PUT', LIST, { auth, body: feeds(5000) });
  const description = 'Every week we talk about this and that. '.repeat(50);
  await storage.podcasts.addMetadata(feeds(5000).map((url) => ({ url, title: url, description, website: '' })));
  const opml = await (await request('GET', '/subscriptions/bob/phone.opml', { auth })).text();
  expect(opml.length).toBeGreaterThan(4_000_000);

  const order: string[] = [];
  const uploaded = request('PUT', '/subscriptions/bob/tablet.opml', { auth, body: opml }).then((answer) => {
    order.push('upload');
    return answer.status;
  });
  await request('GET', '/health').then(() => order.push('health'));
  expect(await uploaded).toBe(200);
  expect(order).toEqual(['health', 'upload']);
  expect(await (await request('GET', '/subscriptions/bob/tablet.json', { auth })).json()).toEqual(feeds(5000));
});

it('returns all rewrites of a large upload', async () => {
  const { request } = await openTestServer();
  const add = feeds(2000).map((url) => ` ${url}`);
  const answer: any = await (await request('POST', DELTA, { auth, body: { add } })).json();
  expect(answer).toEqual({ timestamp: expect.any(Number), update_urls: add.map((url) => [url, url.trim()]) });
});
