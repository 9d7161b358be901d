import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a random secret, which is stored in its place: stored data then grants no access. */
export const digestOf = (secret: string): string => hash('sha256', secret, 'base64url');

/** Compares two secrets of any length, in a time that does not reveal where they differ. */
export const isSameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
