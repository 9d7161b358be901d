import sharp from 'sharp';
import { expect, it, vi } from 'vitest';
import { createLogos } from '../../src/services/directory/logos.ts';

const fetchImage = () =>
  sharp({ create: { width: 9, height: 9, channels: 3, background: '#c33' } })
    .png()
    .toBuffer();

const LOGO = 'http://example.org/logo';
async function* noFeeds() {}
const podcasts = { feeds: noFeeds, find: async () => [], isLogoListed: async () => true };

const createWith = (cache: Parameters<typeof createLogos>[0]['cache'], fetcher = { fetchImage }) =>
  createLogos({ podcasts: { ...podcasts, logoUrl: async () => LOGO }, mode: 'public', fetcher, cache });

it('a damaged logo in the cache is fetched again by the next request', async () => {
  const files = new Map([['hash', Buffer.from('GIF89a, and no more')]]);
  const logos = createWith({
    read: async (name) => files.get(name),
    write: async (name, bytes) => void files.set(name, Buffer.from(bytes)),
    remove: async (name) => void files.delete(name),
  });
  expect(await logos.find('hash', 64)).toBeUndefined();
  expect((await logos.find('hash', 64))?.type).toBe('image/jpeg');
});

it('shows a logo that cannot be stored', async () => {
  const logos = createWith({
    read: async () => undefined,
    write: () => Promise.reject(new Error('the disk is full')),
    remove: async () => undefined,
  });
  for (let time = 0; time < 2; time++) expect((await logos.find('hash', 64))?.type).toBe('image/jpeg');
});

it('no request waits long for a logo, which is available once it has arrived', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let arrive!: () => void;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const cache = { read: async () => undefined, write: async () => undefined, remove: async () => undefined };
  const logos = createWith(cache, { fetchImage: () => arrived.then(fetchImage) });
  const early = logos.find('hash', 64);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await early).toBeUndefined();
  const late = logos.find('hash', 64);
  arrive();
  expect((await late)?.type).toBe('image/jpeg');
  vi.useRealTimers();
});

it('holds few images in memory, however many are requested', async () => {
  const cache = { read: async () => undefined, write: async () => undefined, remove: async () => undefined };
  let fetching = 0;
  const images: (() => void)[] = [];
  const logos = createLogos({
    podcasts: { ...podcasts, logoUrl: async (hash) => `http://${hash}.example/logo` },
    mode: 'public',
    fetcher: {
      async fetchImage() {
        fetching++;
        await new Promise<void>((resolve) => images.push(resolve));
        return fetchImage();
      },
    },
    cache,
  });
  const requested = Array.from({ length: 20 }, (_, at) => logos.find(`host${at}`, 64));
  await vi.waitFor(() => expect(fetching).toBe(8), 40_000);
  await new Promise(setImmediate);
  expect(fetching).toBe(8);
  void (async () => {
    for (let sent = 0; sent < 20; sent++) await vi.waitFor(() => images[sent]!(), 40_000);
  })();
  for (const logo of await Promise.all(requested)) expect(logo?.type).toBe('image/jpeg');
});
