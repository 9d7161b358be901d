import { hash as digest, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { invalid } from '../../domain/errors.ts';
import type { User } from '../../storage/stores.ts';
import { DUMMY_HASH, type Hasher } from './hasher.ts';

/** bcrypt reads no more, and would take any longer password with the same beginning. */
const MAX_BYTES = 72;
/** How long a pair that was right is believed without hashing again. Milliseconds. */
const REMEMBERED_FOR = 5 * 60_000;

/** Runs a comparison, or rejects. */
type Guard = (compare: () => Promise<boolean>) => Promise<boolean>;

export interface Passwords {
  /** Hash to store. Throws as `checkPassword` does. */
  hash(password: string): Promise<string>;
  /**
   * Compares the hashes, if `guard` lets it; a pair that was right lately, or is being compared, is not hashed again.
   * Takes the same time where there is no user.
   */
  verify(user: User | undefined, password: string, guard: Guard): Promise<boolean>;
}

/** Throws `invalid` for an empty password, and one of more than 72 bytes. */
export function checkPassword(password: string): void {
  if (password === '') throw invalid('the password is empty');
  if (isTooLong(password)) throw invalid(`the password is longer than ${MAX_BYTES} bytes`);
}

/**
 * Has the form of a bcrypt hash, and is that of no password: nobody can log in until one was chosen. It is random, as
 * links to choose one are signed with it.
 */
export const createLockedHash = (): string =>
  `$2b$10$${randomBytes(40).toString('base64').replaceAll(/[+=]/g, '.').slice(0, 53)}`;

export function createPasswords(hasher: Hasher): Passwords {
  // Fingerprints never leave this process, so that nobody can extend one: a secret prefix keys them as well as an HMAC,
  // which would take a tenth of a whole request with Basic.
  const secret = randomBytes(32).toString('base64');
  /** Of the stored hash too: a password changed anywhere counts at once. */
  const fingerprint = ({ id, passwordHash }: User, password: string): string =>
    digest('sha256', `${secret}${id}\0${passwordHash}\0${password}`, 'base64');
  /** What is right, or is being compared right now. */
  const answers = new LRUCache<string, Promise<boolean>>({ max: 10_000, ttl: REMEMBERED_FOR, ttlResolution: 1000 });

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
      const known = answers.get(pair);
      // Where that comparison was refused, for another address say, this one is made all the same.
      if (known && (await known.catch(() => false))) return true;
      const answer = guard(() => hasher.compare(password, user.passwordHash));
      answers.set(pair, answer);
      const isRight = await answer.catch((error) => {
        answers.delete(pair);
        throw error;
      });
      if (!isRight) answers.delete(pair);
      return isRight;
    },
  };
}

const isTooLong = (password: string): boolean => Buffer.byteLength(password) > MAX_BYTES;
