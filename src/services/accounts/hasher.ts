import { compare, hash } from 'bcryptjs';
import { Refusal } from '../../domain/errors.ts';
import { bcryptCost } from '../../domain/password-hash.ts';
import type { Seconds } from '../../domain/types.ts';
import { Mutex } from '../../mutex.ts';
import { createThread, serveThread, type Thread, ThreadTimeoutError } from '../../thread.ts';

/** Hashes passwords with bcrypt, which is slow on purpose. */
export interface Hasher {
  /** Throws `busy` if too many hashes are waiting, and if one takes too long. */
  hash(password: string): Promise<string>;
  /** Throws as `hash` does. False unless `hash` is a bcrypt hash with a cost of 4 to 14. */
  compare(password: string, hash: string): Promise<boolean>;
  close(): Promise<void>;
}

const COST = 10;
/** Salt and hash of no known password. */
const DUMMY_DIGEST = 'DXxK8OcSQWsIfoh4gDbmVe5w0iq1q680m0l.wZUOAh0Kv5V/XkXZa';
const dummy = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$${DUMMY_DIGEST}`;
/** At the usual cost: a login with an unknown name then takes as long as any other. */
export const DUMMY_HASH = dummy(COST);
const ROLE = 'podsync-hasher';

/** Hashes running and waiting: about three seconds of work. */
const MAX_PENDING = 40;
/** Of one hash. The highest accepted cost takes a second, or several on a small machine. */
const MAX_TIME: Seconds = 15;
const RETRY_AFTER: Seconds = 5;

/** Compares with `known`; creates a hash if that is undefined. */
interface HashJob {
  password: string;
  known?: string;
}

/** Hashes in a separate thread, one at a time: in the main thread, each would block every request for some 70 ms. */
export function createThreadHasher(
  thread: Thread<HashJob, string | boolean> = createThread(import.meta.url, ROLE),
): Hasher {
  const mutex = new Mutex();
  let pending = 0;

  const run = async (job: HashJob): Promise<string | boolean> => {
    if (pending >= MAX_PENDING) throw busy('too many passwords are being checked at once');
    pending += 1;
    try {
      return await mutex.run(() => thread.run(job, MAX_TIME));
    } catch (error) {
      throw error instanceof ThreadTimeoutError ? busy('checking the password took too long') : error;
    } finally {
      pending -= 1;
    }
  };

  return {
    hash: async (password) => (await run({ password })) as string,
    compare: async (password, known) => (await run({ password, known })) as boolean,
    close: () => thread.close(),
  };
}

const busy = (what: string): Refusal =>
  new Refusal('busy', `${what}; try again in ${RETRY_AFTER} seconds`, RETRY_AFTER);

/** Makes a hash of lower cost, from a backup, take as long as any other, so that the time reveals no account. */
async function compareEvenly(password: string, known: string): Promise<boolean> {
  const cost = bcryptCost(known);
  if (cost === undefined) {
    await compare(password, DUMMY_HASH);
    return false;
  }
  const isRight = await compare(password, known);
  for (let step = cost; step < COST; step += 1) await compare(password, dummy(step)); // 2^cost + ... = 2^COST rounds
  return isRight;
}

serveThread<HashJob, string | boolean>(ROLE, ({ password, known }) =>
  known === undefined ? hash(password, COST) : compareEvenly(password, known),
);
