import type { Sharp, SharpOptions } from 'sharp';
import { Mutex } from '../../mutex.ts';

export interface Image {
  bytes: Uint8Array;
  /** Media type. */
  type: string;
}

/** Scales an image to fit a square of `size` pixels, one at a time. Rejects if it is not an image or is too large. */
type Scale = (bytes: Uint8Array, size: number) => Promise<Image>;

/** Protects memory from a small file with a huge image: an interlaced one is decoded whole, at 4 bytes a pixel. */
const MAX_PIXELS = 16_000_000;
const QUALITY = 82;

/** Uses sharp, which is optional: undefined if it is not installed or does not load. */
export async function loadScale(): Promise<Scale | undefined> {
  const sharp = await import('sharp').then(
    (module) => module.default as (bytes: Uint8Array, options: SharpOptions) => Sharp,
    () => undefined,
  );
  if (!sharp) return undefined;
  const mutex = new Mutex();
  const scale: Scale = async (bytes, size) => {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS }).autoOrient();
    const scaled = image.resize(size, size, { fit: 'inside', withoutEnlargement: true });
    const { hasAlpha } = await image.metadata();
    return hasAlpha
      ? { bytes: await scaled.png().toBuffer(), type: 'image/png' }
      : { bytes: await scaled.jpeg({ quality: QUALITY }).toBuffer(), type: 'image/jpeg' };
  };
  return (bytes, size) => mutex.run(() => scale(bytes, size));
}

const SIGNATURES: readonly [type: string, hex: RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/avif', /^.{8}66747970617669(66|73)/],
];

/** Media type of an image by its first bytes; undefined for anything else. Not SVG, which can contain scripts. */
export function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('hex');
  return SIGNATURES.find(([, hex]) => hex.test(start))?.[0];
}
