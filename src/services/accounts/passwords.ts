import { hash as digest, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { invalid } from '../../domain/errors.ts';
import { atMost } from '../../lru.ts';
import type { User } from '../../storage/stores.ts';
import { DUMMY_HASH, type Hasher } from './hasher.ts';

/** bcrypt reads no more, and would accept any longer password with the same beginning. */
const MAX_BYTES = 72;
/** How long a correct pair is accepted without hashing again. Milliseconds. */
const CACHED_FOR = 5 * 60_000;

/** Runs a comparison, or rejects. */
type Guard = (compare: () => Promise<boolean>) => Promise<boolean>;

export interface Passwords {
  /** The hash to store. Throws as `checkPassword` does. */
  hash(password: string): Promise<string>;
  /**
   * Whether this is the password of the user. Compares the hashes through `guard`, which may refuse; a pair that was
   * right recently, or is being compared, is not hashed again. Takes the same time if the user is undefined.
   */
  verify(user: User | undefined, password: string, guard: Guard): Promise<boolean>;
}

/** Throws `invalid` for an empty password and for one of more than 72 bytes. */
export function checkPassword(password: string): void {
  if (password === '') throw invalid('the password is empty');
  if (isTooLong(password)) throw invalid(`the password is longer than ${MAX_BYTES} bytes`);
}

/**
 * Looks like a bcrypt hash but matches no password: login is impossible until one is chosen. It is random, because links
 * to choose a password are signed with it.
 */
export const createLockedHash = (): string => `$2b$10$${randomDigits(53)}`;

/** How the hashes of invited accounts begin: their salt. */
const INVITED = `$2b$10$${'invited'.padEnd(22, '.')}`;
/** The same for an account that was just created and whose owner has yet to choose a password. */
export const createInvitedHash = (): string => `${INVITED}${randomDigits(31)}`;
export const isInvited = ({ passwordHash }: User): boolean => passwordHash.startsWith(INVITED);

/** Of the alphabet of bcrypt, at most 53. */
const randomDigits = (length: number): string =>
  randomBytes(40).toString('base64').replaceAll(/[+=]/g, '.').slice(0, length);

export function createPasswords(hasher: Hasher): Passwords {
  // Fingerprints never leave this process, so length extension is no threat: a secret prefix is as good as an HMAC, which
  // would take a tenth of the time of a request with Basic.
  const secret = randomBytes(32).toString('base64');
  /** Includes the stored hash: a changed password takes effect at once. */
  const fingerprint = ({ id, passwordHash }: User, password: string): string =>
    digest('sha256', `${secret}${id}\0${passwordHash}\0${password}`, 'base64');
  /** Pairs that are right or are being compared. */
  const results = new LRUCache<string, Promise<boolean>>({ ...atMost(10_000), ttl: CACHED_FOR, ttlResolution: 1000 });

  return {
    async hash(password) {
      checkPassword(password);
      return hasher.hash(password);
    },

    async verify(user, password, guard) {
      if (!user || isTooLong(password)) {
        return guard(async () => {
          await hasher.compare(password, DUMMY_HASH);
          return false;
        });
      }
      const pair = fingerprint(user, password);
      const known = results.get(pair);
      // If that comparison was refused, for example for another address, compare again.
      if (known && (await known.catch(() => false))) return true;
      const result = guard(() => hasher.compare(password, user.passwordHash));
      results.set(pair, result);
      const isRight = await result.catch((error) => {
        results.delete(pair);
        throw error;
      });
      if (!isRight) results.delete(pair);
      return isRight;
    },
  };
}

const isTooLong = (password: string): boolean => Buffer.byteLength(password) > MAX_BYTES;
