import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { countOf } from '../../domain/count.ts';
import { Refusal } from '../../domain/errors.ts';
import type { Seconds, UserId } from '../../domain/types.ts';
import { atMost } from '../../lru.ts';
import { KeyedMutex } from '../../mutex.ts';
import type { AttemptLimit, AttemptStore } from '../../storage/stores.ts';

const PER_LOGIN_AND_ADDRESS: AttemptLimit = { most: 10, within: 300 };
const PER_ADDRESS: AttemptLimit = { most: 100, within: 300 };
/** For IPv6: a provider assigns a whole /48, which contains 65,536 addresses as counted here. */
const PER_SITE: AttemptLimit = { most: 200, within: 300 };
/**
 * From all networks that are new to the account, for its name and e-mail address together: at most 4,800 guesses a day.
 * A single app that keeps trying an old password makes 30 attempts in this time, and so does not reach the limit alone.
 */
const PER_ACCOUNT: AttemptLimit = { most: 50, within: 900 };
const ACCOUNTS_PER_ADDRESS: AttemptLimit = { most: 20, within: 3600 };
/** For IPv6: see `PER_SITE`. Each registration also hashes a password, which delays logins. */
const ACCOUNTS_PER_SITE: AttemptLimit = { most: 40, within: 3600 };
/** How long the network of a successful login stays known. It is stored as an attempt, since all nodes see those. */
const KNOWN_NETWORK: AttemptLimit = { most: 1, within: 30 * 86_400 };

/** Where a request comes from. */
export interface Client {
  /** Empty over a Unix socket, and if the proxy names none. */
  ip: string;
  /** For IPv6, the network (/64). Empty over a Unix socket. */
  address: string;
  /** Whether it is the address of a proxy that is not trusted, and so the same for every client behind it. */
  isShared: boolean;
}

/** A login attempt. */
export interface Guess extends Omit<Client, 'ip'> {
  /** As typed. */
  login: string;
  /** The account of the login, if it exists. */
  user: UserId | undefined;
}

export interface Throttle {
  /** Throws `throttled` if this node already knows of too many wrong passwords. */
  check(guess: Guess): Promise<void>;
  /**
   * Compares a password; throws `throttled` after too many wrong ones. A comparison in progress counts as a wrong one, so
   * that many simultaneous guesses cannot pass the limit. Comparisons run one at a time for each address, and for each
   * account from networks that are new to it: so many simultaneous right passwords all succeed, and guesses at one
   * account do not delay others. A comparison that fails with an error does not count.
   */
  attempt(guess: Guess, compare: () => Promise<boolean>): Promise<boolean>;
  /** Counts a registration. Throws `throttled` after too many. */
  countRegistration(address: string): Promise<void>;
}

/** A limit on guesses, and the name under which they are counted. */
interface Counter {
  name: string;
  limit: AttemptLimit;
}

/**
 * Limits guesses and registrations, counted on all nodes together. It blocks the address that guesses, and other users
 * of that address only after many attempts. Guesses from many networks block every network that is new to the account.
 * A network with a recent successful login is not blocked by guesses from elsewhere, nor is the account there blocked by
 * guesses at other accounts from a shared address.
 */
export function createThrottle(attempts: AttemptStore, now: Clock): Throttle {
  /** By counter, the refusals that this node knows: a cached password must not admit a client that keeps guessing. */
  const refusedUntil = new LRUCache<string, Seconds>(atMost(20_000));
  /** By address and by account. */
  const mutex = new KeyedMutex<string>();

  const waitOf = ({ name }: Counter): Seconds => Math.max(0, (refusedUntil.get(name) ?? 0) - now());
  const check = (counter: Counter): void => {
    const wait = waitOf(counter);
    if (wait > 0) throw refuse('wrong passwords', wait);
  };
  const recordWait = ({ name }: Counter, wait: Seconds): void => {
    if (wait > 0) refusedUntil.set(name, now() + wait);
  };

  const isKnown = async (guess: Guess): Promise<boolean> =>
    (await attempts.wait(keyOf(networkOf(guess)), KNOWN_NETWORK)) > 0;
  const recordNetwork = async (guess: Guess): Promise<void> => {
    const key = keyOf(networkOf(guess));
    await attempts.refund(key);
    await attempts.add(key, KNOWN_NETWORK);
  };

  const refund = async (counters: readonly Counter[]): Promise<void> => {
    for (const { name } of counters) await attempts.refund(keyOf(name));
  };
  /** Counts for all counters, or throws and counts for none. */
  const count = async (counters: readonly Counter[], what = 'wrong passwords'): Promise<void> => {
    for (const [index, counter] of counters.entries()) {
      const wait = await attempts.add(keyOf(counter.name), counter.limit);
      recordWait(counter, wait);
      if (wait === 0) continue;
      await refund(counters.slice(0, index)); // nothing is compared
      throw refuse(what, wait);
    }
  };

  const attempt = async (counters: readonly Counter[], compare: () => Promise<boolean>): Promise<boolean> => {
    await count(counters);
    const isRight = await compare().catch(async (error: unknown) => {
      await refund(counters);
      throw error;
    });
    if (isRight) {
      await refund(counters);
      for (const { name } of counters) refusedUntil.delete(name); // it may have been counted as the last wrong one
      return true;
    }
    for (const counter of counters) recordWait(counter, await attempts.wait(keyOf(counter.name), counter.limit));
    return false;
  };

  return {
    async check(guess) {
      nearCounters(guess).forEach(check);
      const full = wideCounters(guess).filter((counter) => waitOf(counter) > 0);
      if (full.length > 0 && !(await isKnown(guess))) full.forEach(check);
    },

    async attempt(guess, compare) {
      const known = await isKnown(guess);
      const counters = [...(known ? [] : wideCounters(guess)), ...nearCounters(guess)];
      const locks = [guess.address, ...(known ? [] : [accountOf(guess)])];
      const isRight = await mutex.runAll(locks, () => attempt(counters, compare));
      if (isRight) await recordNetwork(guess);
      return isRight;
    },

    async countRegistration(address) {
      const site = siteOf(address);
      const counters = [
        ...(site === undefined ? [] : [{ name: `register ${site}`, limit: ACCOUNTS_PER_SITE }]),
        { name: `register ${address}`, limit: ACCOUNTS_PER_ADDRESS },
      ];
      await count(counters, 'accounts were created from here');
    },
  };
}

function refuse(what: string, wait: Seconds): Refusal {
  const delay = wait < 120 ? countOf(wait, 'second') : countOf(Math.ceil(wait / 60), 'minute');
  return new Refusal('throttled', `too many ${what}; try again in ${delay}`, wait);
}

const addressCounter = ({ address }: Guess): Counter => ({ name: address, limit: PER_ADDRESS });

const nearCounters = (guess: Guess): Counter[] => [
  ...(guess.isShared ? [] : [addressCounter(guess)]),
  { name: `${guess.address} ${guess.login.toLowerCase()}`, limit: PER_LOGIN_AND_ADDRESS },
];

/** Counters that others can exhaust, from elsewhere or from a shared address. */
function wideCounters(guess: Guess): Counter[] {
  const site = siteOf(guess.address);
  return [
    ...(guess.isShared ? [addressCounter(guess)] : []),
    ...(site === undefined ? [] : [{ name: site, limit: PER_SITE }]),
    { name: accountOf(guess), limit: PER_ACCOUNT },
  ];
}

/** An unknown login counts like any other: the response must not reveal which accounts exist. */
const accountOf = ({ user, login }: Guess): string =>
  user === undefined ? `nobody ${login.toLowerCase()}` : `account ${user}`;

const networkOf = (guess: Guess): string => `network ${guess.address} ${accountOf(guess)}`;

/** The /48 of a /64; undefined for IPv4, where one customer has a single address. */
const siteOf = (address: string): string | undefined =>
  /^((?:[\da-f]+:){3})[\da-f]+::\/64$/.exec(address)?.[1]?.concat(':/48');

/** A hash, so that the storage contains neither addresses nor what was typed as a user name. */
const keyOf = (text: string): string => hash('sha256', text, 'base64url');
