import { LRUCache } from 'lru-cache';
import { Refusal } from '../../domain/errors.ts';
import { NO_LOGO } from '../../domain/logo.ts';
import { inBatches } from '../../batches.ts';
import type { Url } from '../../domain/types.ts';
import type { Fetcher } from '../../feeds/fetch.ts';
import { createHostSemaphore } from '../../feeds/semaphore.ts';
import type { PodcastStore } from '../../storage/stores.ts';
import type { DirectoryMode } from './directory.ts';
import { type Image, imageType, loadScale } from './images.ts';
import type { LogoCache } from './logo-cache.ts';

/** Larger sizes are never requested, so logos are stored in this size. Pixels. */
const LARGEST = 256;
/** How long to wait before fetching a failed logo again. Milliseconds. */
const RETRY_FAILED_AFTER = 10 * 60_000;
/** Logos that are being fetched or wait to be scaled. */
const CONCURRENCY = 8;
/** How long a request waits for a logo; the download continues. Milliseconds. */
const MAX_WAIT = 5000;
/** Scaled logos in memory. Bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Podcasts that are read at once. */
const BATCH = 500;

export interface Logos {
  /**
   * The logo whose URL has this SHA-256, scaled to fit a square of `size` pixels; undefined if it is not available now:
   * then show the built-in one for a while. Throws `missing` for a size outside 1..256 and for the hash of no logo.
   */
  find(hash: string, size: number): Promise<Image | undefined>;
  /** Whether everybody may see it: true for the built-in one, and if everybody may see the directory, for its logos. */
  isPublic(hash: string): Promise<boolean>;
}

interface LogoOptions {
  podcasts: Pick<PodcastStore, 'logoUrl' | 'isLogoListed' | 'feeds' | 'find'>;
  mode: DirectoryMode;
  /** Undefined: nothing may be fetched. */
  fetcher: Pick<Fetcher, 'fetchImage'> | undefined;
  cache: LogoCache;
}

export function createLogos({ podcasts, mode, fetcher, cache }: LogoOptions): Logos {
  let scaler: ReturnType<typeof loadScale> | undefined;
  const images = new LRUCache<string, Image>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 100,
  });
  const failed = new LRUCache<string, true>({ max: 10_000, ttl: RETRY_FAILED_AFTER });
  const semaphore = createHostSemaphore(CONCURRENCY);
  /** The first of several requests for a logo fetches it. */
  const pending = new Map<string, Promise<Image | undefined>>();

  /** The feeds that have this logo. Reads all podcasts: only logos on private networks need it. */
  async function* feedsWith(logo: Url): AsyncGenerator<Url, void> {
    const urls: Url[] = [];
    for await (const { url } of podcasts.feeds()) urls.push(url);
    for (const batch of inBatches(urls, BATCH)) {
      for (const podcast of await podcasts.find(batch)) if (podcast?.logoUrl === logo) yield podcast.url;
    }
  }

  /** The logo as stored: scaled, or the original if sharp is not installed. */
  const obtain = async (hash: string, url: string): Promise<Image | undefined> => {
    const kept = await cache.read(hash);
    const keptType = kept && imageType(kept);
    if (kept && keptType) return { bytes: kept, type: keptType };
    if (!fetcher || failed.has(hash)) return undefined;
    try {
      const image = await semaphore.run(new URL(url).hostname, async () => {
        const bytes = await fetcher.fetchImage(url, () => feedsWith(url));
        const type = imageType(bytes);
        if (!type) throw new Error('it is not an image');
        const scale = await (scaler ??= loadScale());
        return scale ? scale(bytes, LARGEST) : { bytes, type };
      });
      await cache.write(hash, image.bytes).catch(() => undefined); // it is fetched again later
      return image;
    } catch {
      failed.set(hash, true);
      return undefined;
    }
  };
  const obtainOnce = (hash: string, url: string): Promise<Image | undefined> => {
    let image = pending.get(hash);
    if (!image) {
      image = obtain(hash, url).finally(() => pending.delete(hash));
      pending.set(hash, image);
    }
    return image;
  };

  return {
    isPublic: async (hash) => hash === NO_LOGO || (mode === 'public' && (await podcasts.isLogoListed(hash))),

    async find(hash, size) {
      const isSize = Number.isInteger(size) && size >= 1 && size <= LARGEST;
      if (hash === NO_LOGO && isSize) return undefined;
      const url = isSize ? await podcasts.logoUrl(hash) : undefined;
      if (url === undefined) throw noSuchLogo();
      const key = `${hash} ${size}`;
      const ready = images.get(key);
      if (ready) return ready;
      const kept = await inTime(obtainOnce(hash, url));
      const scale = await (scaler ??= loadScale());
      if (!kept || !scale || size === LARGEST) return kept;
      try {
        const image = await scale(kept.bytes, size);
        images.set(key, image);
        return image;
      } catch {
        await cache.remove(hash);
        return undefined;
      }
    },
  };
}

export const noSuchLogo = (): Refusal => new Refusal('missing', 'no podcast has this logo; sizes are 1 to 256');

/** Undefined if it takes too long. */
const inTime = (image: Promise<Image | undefined>): Promise<Image | undefined> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), MAX_WAIT);
    image.then(resolve, reject).finally(() => clearTimeout(timer));
  });
