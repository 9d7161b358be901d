import { hash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets of any length, in a time that does not reveal where they differ. */
export const isSameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
