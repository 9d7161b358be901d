import { hash } from 'node:crypto';
import type { Url } from '../domain/types.ts';
import type { Key } from './contract.ts';

/** Represents a URL in keys, which are short ASCII text: its SHA-256 in base64url, cut to 132 bits. */
export type UrlDigest = string;

export const urlDigest = (url: Url): UrlDigest => hash('sha256', url, 'base64url').slice(0, 22);

/** An integer from 0 to 2 ** 53, as text that sorts like the number. */
export const padded = (number: number): string => String(number).padStart(16, '0');

/** An integer below a million, as text that sorts like the number. */
export const chunkNumber = (number: number): string => String(number).padStart(6, '0');

/** The beginning of the keys of a range. */
export type Prefix = `${string}/`;

/** The range of all keys with a prefix. */
export const under = (prefix: Prefix): { from: Key; until: Key } => ({
  from: prefix,
  until: `${prefix.slice(0, -1)}0`, // the character after `/`
});
