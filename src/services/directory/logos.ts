import { LRUCache } from 'lru-cache';
import { Refusal } from '../../domain/errors.ts';
import { NO_LOGO } from '../../domain/logo.ts';
import type { UserId } from '../../domain/types.ts';
import type { Fetcher } from '../../feeds/fetch.ts';
import { createHostSemaphore } from '../../feeds/semaphore.ts';
import { atMost } from '../../lru.ts';
import type { DirectoryMode } from '../../options.ts';
import type { Logo, PodcastStore } from '../../storage/stores.ts';
import { withTimeout } from '../../timeout.ts';
import type { Seen, Viewer } from './directory.ts';
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

export interface Logos {
  /**
   * The logo whose URL has this SHA-256, scaled to fit a square of `size` pixels, for those who may see a podcast that has
   * it. Without an `image`, it is not available now: then show the built-in one for a while. Throws `missing` for a size
   * outside 1..256, and for the hash of no logo that the viewer may see.
   */
  find(hash: string, size: number, viewer: Viewer): Promise<Seen<{ image: Image | undefined }>>;
  /** Fetches no more logos; resolves when those that were being fetched are stored. */
  stop(): Promise<void>;
}

interface LogoOptions {
  podcasts: Pick<PodcastStore, 'logo' | 'areUsedBy'>;
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
  const failed = new LRUCache<string, true>({ ...atMost(10_000), ttl: RETRY_FAILED_AFTER });
  const semaphore = createHostSemaphore(CONCURRENCY);
  let isStopped = false;
  /** The first of several requests for a logo fetches it. */
  const pending = new Map<string, Promise<Image | undefined>>();

  /** The logo as stored: scaled, or the original if sharp is not installed. */
  const obtain = async (hash: string, { url, podcasts: feeds }: Logo): Promise<Image | undefined> => {
    const kept = await cache.read(hash);
    const keptType = kept && imageType(kept);
    if (kept && keptType) return { bytes: kept, type: keptType };
    if (!fetcher || isStopped || failed.has(hash)) return undefined;
    try {
      const image = await semaphore.run(new URL(url).hostname, async () => {
        const bytes = await fetcher.fetchImage(url, feeds);
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
  const obtainOnce = (hash: string, logo: Logo): Promise<Image | undefined> => {
    let image = pending.get(hash);
    if (!image) {
      image = obtain(hash, logo).finally(() => pending.delete(hash));
      pending.set(hash, image);
    }
    return image;
  };

  const scaled = async (hash: string, logo: Logo, size: number): Promise<Image | undefined> => {
    const key = `${hash} ${size}`;
    const ready = images.get(key);
    if (ready) return ready;
    const kept = await withTimeout(obtainOnce(hash, logo), MAX_WAIT, () => undefined);
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
  };

  const maySee = async (user: UserId, { podcasts: feeds, isListed }: Logo): Promise<boolean> =>
    (isListed && mode === 'members') || (await podcasts.areUsedBy(user, feeds)).includes(true);

  return {
    async find(hash, size, viewer) {
      if (!Number.isInteger(size) || size < 1 || size > LARGEST) throw noSuchLogo();
      if (hash === NO_LOGO) return { image: undefined, isPublic: true };
      const logo = await podcasts.logo(hash);
      if (logo?.isListed && mode === 'public') return { image: await scaled(hash, logo, size), isPublic: true };
      const user = await viewer(); // also if the hash is unknown, which must look the same as a hidden logo
      if (!logo || user === undefined || !(await maySee(user, logo))) throw noSuchLogo();
      return { image: await scaled(hash, logo, size), isPublic: false };
    },
    async stop() {
      isStopped = true;
      await Promise.all(pending.values());
    },
  };
}

const noSuchLogo = (): Refusal => new Refusal('missing', 'no podcast has this logo; sizes are 1 to 256');
