import sharp from 'sharp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLogos } from '../../src/services/directory/logos.ts';

const fetchImage = () =>
  sharp({ create: { width: 9, height: 9, channels: 3, background: '#c33' } })
    .png()
    .toBuffer();

type Options = Parameters<typeof createLogos>[0];

/** Each host has a logo, which everybody may see. */
function createWith(cache: Options['cache'], fetcher: Options['fetcher'] = { fetchImage }) {
  const logo = async (host: string) => ({ url: `http://${host}.example/logo`, podcasts: [], isListed: true });
  const logos = createLogos({ podcasts: { logo, areUsedBy: async () => [] }, mode: 'public', fetcher, cache });
  const find = async (host: string) => (await logos.find(host, 64, async () => undefined)).image;
  return { find, stop: logos.stop };
}

it('a damaged logo in the cache is fetched again by the next request', async () => {
  const files = new Map([['host', Buffer.from('GIF89a, and no more')]]);
  const { find } = createWith({
    read: async (name) => files.get(name),
    write: async (name, bytes) => void files.set(name, Buffer.from(bytes)),
    remove: async (name) => void files.delete(name),
  });
  expect(await find('host')).toBeUndefined();
  expect((await find('host'))?.type).toBe('image/jpeg');
});

it('shows a logo that cannot be stored', async () => {
  const { find } = createWith({
    read: async () => undefined,
    write: () => Promise.reject(new Error('the disk is full')),
    remove: async () => undefined,
  });
  for (let time = 0; time < 2; time++) expect((await find('host'))?.type).toBe('image/jpeg');
});

it('no request waits long for a logo, which is available once it has arrived', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let arrive!: () => void;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const cache = { read: async () => undefined, write: async () => undefined, remove: async () => undefined };
  const { find } = createWith(cache, { fetchImage: () => arrived.then(fetchImage) });
  const early = find('host');
  await vi.advanceTimersByTimeAsync(5000);
  expect(await early).toBeUndefined();
  const late = find('host');
  arrive();
  expect((await late)?.type).toBe('image/jpeg');
});

it('holds few images in memory, however many are requested', async () => {
  const cache = { read: async () => undefined, write: async () => undefined, remove: async () => undefined };
  let fetching = 0;
  const images: (() => void)[] = [];
  const { find } = createWith(cache, {
    async fetchImage() {
      fetching++;
      await new Promise<void>((resolve) => images.push(resolve));
      return fetchImage();
    },
  });
  const requested = Array.from({ length: 20 }, (_, at) => find(`host${at}`));
  await vi.waitFor(() => expect(fetching).toBe(8), 40_000);
  await new Promise(setImmediate);
  expect(fetching).toBe(8);
  void (async () => {
    for (let sent = 0; sent < 20; sent++) await vi.waitFor(() => images[sent]!(), 40_000);
  })();
  expect((await Promise.all(requested)).map((logo) => logo?.type)).toEqual(Array(20).fill('image/jpeg'));
});

it('stopping waits until a logo that is being fetched is stored, and fetches no others', async () => {
  let arrive!: () => void;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const stored: string[] = [];
  const fetched: string[] = [];
  const cache = {
    read: async () => undefined,
    write: async (name: string) => void stored.push(name),
    remove: async () => undefined,
  };
  const { find, stop } = createWith(cache, {
    fetchImage(url) {
      fetched.push(url);
      return arrived.then(fetchImage);
    },
  });
  const early = find('early');
  await expect.poll(() => fetched).toHaveLength(1);
  const stopped = stop().then(() => [...stored]);
  const late = find('late');
  await new Promise(setImmediate);
  arrive();
  expect(await stopped).toEqual(['early']);
  expect(await late).toBeUndefined();
  expect((await early)?.type).toBe('image/jpeg');
  expect(fetched).toEqual(['http://early.example/logo']);
});
