import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { Refusal } from '../../domain/errors.ts';
import type { Seconds, UserId } from '../../domain/types.ts';
import type { AttemptLimit, AttemptStore } from '../../storage/stores.ts';
import { Turns } from '../../turns.ts';

const PER_LOGIN_AND_ADDRESS: AttemptLimit = { most: 10, within: 300 };
const PER_ADDRESS: AttemptLimit = { most: 100, within: 300 };
/** Of IPv6: a provider hands out a whole /48, in which there are 65,536 addresses as they are counted here. */
const PER_SITE: AttemptLimit = { most: 200, within: 300 };
/**
 * From all networks that are new to the account, by its name and its e-mail address together: 4,800 guesses a day at
 * most. One app that tries an old password again and again counts 30 in this time, and does not reach it alone.
 */
const PER_ACCOUNT: AttemptLimit = { most: 50, within: 900 };
const ACCOUNTS_PER_ADDRESS: AttemptLimit = { most: 20, within: 3600 };
/** How long an account knows the network of a good login. It is kept as an attempt, since all nodes see those. */
const KNOWN_NETWORK: AttemptLimit = { most: 1, within: 30 * 86_400 };

/** A try at a password. */
export interface Guess {
  /** As it was typed. */
  login: string;
  /** Network address that it comes from; of IPv6 the /64. */
  address: string;
  /** Whether everybody behind a proxy has this address. */
  isShared: boolean;
  /** The account that the login means, if there is one. */
  user: UserId | undefined;
}

export interface Throttle {
  /** Throws `throttled` where this node knows already that there were too many wrong passwords. */
  check(guess: Guess): Promise<void>;
  /**
   * Compares a password unless there were too many wrong ones: then throws `throttled`. A comparison under way counts
   * as a wrong one, so that of many at once not all get through. Those from one address take turns here, and those at
   * one account from networks that are new to it, so that many right ones all get through, and guesses at one account
   * do not hold up the others. A comparison that fails does not count.
   */
  attempt(guess: Guess, compare: () => Promise<boolean>): Promise<boolean>;
  /** Counts an account that somebody wants to make. Throws `throttled` where there were too many. */
  countRegistration(address: string): Promise<void>;
}

/** What guesses are counted by. */
interface Counter {
  name: string;
  limit: AttemptLimit;
}

/**
 * Slows down guessing, and the making of accounts, on all nodes together. It holds up the address that guesses, and
 * other users of that address only after many tries. Guesses that come from many networks hold up every network that is
 * new to the account; one that had a good login lately is not held up by what others do elsewhere. Nor is an account that
 * had one at an address that others share, by what those do with other accounts.
 */
export function createThrottle(attempts: AttemptStore, now: Clock): Throttle {
  /** By counter, the refusals that this node knows of: a remembered password must not let in a client that goes on guessing. */
  const refusedUntil = new LRUCache<string, Seconds>({ max: 20_000 });
  /** By address, and by account. */
  const turns = new Turns<string>();

  const waitOf = ({ name }: Counter): Seconds => Math.max(0, (refusedUntil.get(name) ?? 0) - now());
  const check = (counter: Counter): void => {
    const wait = waitOf(counter);
    if (wait > 0) throw refuse('wrong passwords', wait);
  };
  const noteWait = ({ name }: Counter, wait: Seconds): void => {
    if (wait > 0) refusedUntil.set(name, now() + wait);
    else refusedUntil.delete(name);
  };

  const isKnown = async (guess: Guess): Promise<boolean> =>
    (await attempts.wait(keyOf(networkOf(guess)), KNOWN_NETWORK)) > 0;
  const remember = async (guess: Guess): Promise<void> => {
    const key = keyOf(networkOf(guess));
    await attempts.refund(key);
    await attempts.add(key, KNOWN_NETWORK);
  };

  const refund = async (counters: readonly Counter[]): Promise<void> => {
    for (const { name } of counters) await attempts.refund(keyOf(name));
  };
  /** Counts by all, or throws and counts by none. */
  const count = async (counters: readonly Counter[]): Promise<void> => {
    for (const [index, counter] of counters.entries()) {
      const wait = await attempts.add(keyOf(counter.name), counter.limit);
      noteWait(counter, wait);
      if (wait > 0) await refund(counters.slice(0, index)); // it is not compared
      check(counter);
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
      for (const { name } of counters) refusedUntil.delete(name); // it may have counted as the last wrong one
      return true;
    }
    for (const counter of counters) noteWait(counter, await attempts.wait(keyOf(counter.name), counter.limit));
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
      const isRight = await turns.takeAll(locks, () => attempt(counters, compare));
      if (isRight) await remember(guess);
      return isRight;
    },

    async countRegistration(address) {
      const wait = await attempts.add(keyOf(`register ${address}`), ACCOUNTS_PER_ADDRESS);
      if (wait > 0) throw refuse('accounts were made from here', wait);
    },
  };
}

function refuse(what: string, wait: Seconds): Refusal {
  const inWords = wait < 120 ? `${wait} seconds` : `${Math.ceil(wait / 60)} minutes`;
  return new Refusal('throttled', `too many ${what}; try again in ${inWords}`, wait);
}

const addressCounter = ({ address }: Guess): Counter => ({ name: address, limit: PER_ADDRESS });

const nearCounters = (guess: Guess): Counter[] => [
  ...(guess.isShared ? [] : [addressCounter(guess)]),
  { name: `${guess.address} ${guess.login.toLowerCase()}`, limit: PER_LOGIN_AND_ADDRESS },
];

/** What others can exhaust: elsewhere, or at the address that they share. */
function wideCounters(guess: Guess): Counter[] {
  const site = siteOf(guess.address);
  return [
    ...(guess.isShared ? [addressCounter(guess)] : []),
    ...(site === undefined ? [] : [{ name: site, limit: PER_SITE }]),
    { name: accountOf(guess), limit: PER_ACCOUNT },
  ];
}

/** A login that nobody has counts like any other: an answer must not tell which ones there are. */
const accountOf = ({ user, login }: Guess): string =>
  user === undefined ? `nobody ${login.toLowerCase()}` : `account ${user}`;

const networkOf = (guess: Guess): string => `network ${guess.address} ${accountOf(guess)}`;

/** The /48 around a /64; undefined for IPv4, where an address is as far as one customer reaches. */
const siteOf = (address: string): string | undefined =>
  /^((?:[\da-f]+:){3})[\da-f]+::\/64$/.exec(address)?.[1]?.concat(':/48');

/** What is stored names neither addresses nor what somebody typed for a user name. */
const keyOf = (text: string): string => hash('sha256', text, 'base64url');
