import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Fetcher } from '../../../src/feeds/fetch.ts';
import { recordFeed } from '../../podcasts.ts';
import { openTestServer, type TestServer } from '../../server.ts';

const auth = 'bob:secret';
const LOGO = 'http://example.org/logo.png';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const paint = (width: number, height: number, channels: 3 | 4 = 3): Promise<Buffer> =>
  sharp({ create: { width, height, channels, background: '#c33' } })
    .png()
    .toBuffer();

/** A server with one podcast that has a logo, and the URLs that it fetched. */
async function openWithLogo(image: () => Promise<Uint8Array>): Promise<TestServer & { fetched: string[] }> {
  const fetched: string[] = [];
  const fetcher = {
    fetchFeed: () => Promise.reject(new Error('unexpected')),
    fetchImage: async (url: string) => {
      fetched.push(url);
      return image();
    },
    close: async () => undefined,
  };
  const server = await openTestServer({ fetcher });
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: ['http://example.org/a'] });
  await recordFeed(server.storage, 'http://example.org/a', { logoUrl: LOGO });
  return { ...server, fetched };
}

const measure = async (answer: Response): Promise<unknown> => {
  const { format, width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
  return [format, width, height];
};

it('scales a logo to fit the square, cacheable for ever, and fetches it once', async () => {
  const { request, fetched } = await openWithLogo(() => paint(800, 400));
  for (const [size, width, height] of [
    [64, 64, 32],
    [256, 256, 128],
    [1, 1, 1],
    [64, 64, 32],
  ] as const) {
    const answer = await request('GET', `/logo/${size}/${hash(LOGO)}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await measure(answer)).toEqual(['jpeg', width, height]);
  }
  expect(fetched).toEqual([LOGO]);
});

it('fetches a logo once for many simultaneous requests', async () => {
  const { request, fetched } = await openWithLogo(() => paint(300, 300, 4));
  const answers = await Promise.all([64, 64, 32].map((size) => request('GET', `/logo/${size}/${hash(LOGO)}`)));
  expect(answers.map((answer) => answer.headers.get('content-type'))).toEqual(Array(3).fill('image/png'));
  expect(fetched).toEqual([LOGO]);
});

it.each<[string, () => Promise<Uint8Array>]>([
  ['cannot be fetched', () => Promise.reject(new Error('the server did not answer'))],
  ['is no image', async () => Buffer.from('<html>not found</html>')],
  ['is SVG', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ['is a program', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['is damaged', async () => (await paint(300, 300)).subarray(0, 60)],
  ['is a trap', async () => Buffer.from('89504e470d0a1a0a0000000d49484452000fffff000fffff0802000000', 'hex')],
])('a logo that %s is replaced by the built-in one for minutes, and not fetched again at once', async (_why, image) => {
  const { request, fetched } = await openWithLogo(image);
  for (const _again of [1, 2]) {
    const answer = await request('GET', `/logo/64/${hash(LOGO)}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await answer.text()).toMatch(/^<svg [^>]*>\n<rect/);
  }
  expect(fetched).toEqual([LOGO]);
});

it('fetches a logo on behalf of every feed that has it', async () => {
  const feeds: string[] = [];
  const fetcher: Fetcher = {
    fetchFeed: () => Promise.reject(new Error('unexpected')),
    async fetchImage(_url, all) {
      feeds.push(...all);
      return paint(9, 9);
    },
    close: async () => undefined,
  };
  const { request, storage } = await openTestServer({ fetcher });
  const urls = ['http://example.org/a', 'http://example.org/b', 'http://example.org/c'];
  await request('PUT', '/subscriptions/bob/phone.json', { auth, body: urls });
  for (const url of urls) await recordFeed(storage, url, { logoUrl: url.endsWith('b') ? `${LOGO}?2` : LOGO });
  expect((await request('GET', `/logo/64/${hash(LOGO)}`)).status).toBe(200);
  expect(feeds).toEqual(['http://example.org/a', 'http://example.org/c']);
});

/** Until the test has ended, a request waits for its logo, however slow the machine is. */
function waitForLogos(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

it.each([
  [4001, 4000, 'image/svg+xml'],
  [4000, 4000, 'image/png'],
])('a logo of %d by %d pixels is returned as %s: small files can contain many pixels', async (width, height, type) => {
  const trap = sharp({ create: { width, height, channels: 4, background: '#c333' } });
  const { request } = await openWithLogo(() => trap.png({ progressive: true }).toBuffer());
  waitForLogos();
  const answer = await request('GET', `/logo/64/${hash(LOGO)}`);
  expect(answer.headers.get('content-type')).toBe(type);
});

it('scales one logo at a time', async () => {
  const image = await sharp({ create: { width: 2000, height: 2000, channels: 4, background: '#c333' } })
    .png({ progressive: true })
    .toBuffer();
  const server = await openWithLogo(async () => image);
  const feeds = Array.from({ length: 6 }, (_, at) => `http://example.org/${at}`);
  await server.request('PUT', '/subscriptions/bob/phone.json', { auth, body: feeds });
  for (const feed of feeds) await recordFeed(server.storage, feed, { logoUrl: `${feed}.png` });
  let most = 0;
  const count = (): void => void (most = Math.max(most, sharp.counters().process + sharp.counters().queue));
  sharp.queue.on('change', count);
  waitForLogos();
  const answers = await Promise.all(feeds.map((feed) => server.request('GET', `/logo/64/${hash(`${feed}.png`)}`)));
  sharp.queue.off('change', count);
  expect(answers.map((answer) => answer.headers.get('content-type'))).toEqual(Array(6).fill('image/png'));
  expect(most).toBe(1);
});

it('a podcast without a logo has the built-in one', async () => {
  const { request } = await openWithLogo(() => paint(1, 1));
  const answer = await request('GET', `/logo/64/${hash('')}`);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
});

it.each([
  `/logo/64/${hash('http://example.org/another.png')}`,
  '/logo/64/x',
  `/logo/0/${hash(LOGO)}`,
  `/logo/257/${hash(LOGO)}`,
  `/logo/6.4/${hash(LOGO)}`,
  `/logo/big/${hash('')}`,
])('%s is 404', async (path) => {
  const { request, fetched } = await openWithLogo(() => paint(9, 9));
  expect((await request('GET', path)).status).toBe(404);
  expect(fetched).toEqual([]);
});

it.each<[string, () => Promise<Uint8Array>, string]>([
  ['', () => paint(64, 64), 'private, max-age=86400'],
  [', even while it cannot be fetched', () => Promise.reject(new Error('offline')), 'private, max-age=300'],
])('a logo that not everybody may see is cached only by the browser%s', async (_when, image, cache) => {
  const { request } = await openWithLogo(image);
  const set = { public_subscriptions: false };
  await request('POST', '/api/2/settings/bob/account.json', { auth, body: { set, remove: [] } });
  const path = `/logo/64/${hash(LOGO)}`;
  expect((await request('GET', path)).status).toBe(404);
  const { status, headers } = await request('GET', path, { auth });
  expect([status, headers.get('cache-control')]).toEqual([200, cache]);
  expect(headers.get('set-cookie')).not.toBeNull();
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
});
