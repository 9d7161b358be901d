import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { Refusal } from '../domain/errors.ts';
import type { Seconds } from '../domain/types.ts';
import type { AttemptLimit, AttemptStore } from '../storage/stores.ts';
import { Turns } from '../turns.ts';

const PER_LOGIN_AND_ADDRESS: AttemptLimit = { most: 10, within: 300 };
const PER_ADDRESS: AttemptLimit = { most: 100, within: 300 };
const ACCOUNTS_PER_ADDRESS: AttemptLimit = { most: 20, within: 3600 };

export interface Throttle {
  /** Throws `throttled` where this node knows already that there were too many wrong passwords. Reads no storage. */
  check(login: string, address: string): void;
  /**
   * Compares a password unless there were too many wrong ones: then throws `throttled`. A comparison under way counts
   * as a wrong one, so that of many at once not all get through. Those from one address take turns here, so that many
   * right ones all do.
   */
  attempt(login: string, address: string, compare: () => Promise<boolean>): Promise<boolean>;
  /** Counts an account that somebody wants to make. Throws `throttled` where there were too many. */
  admit(address: string): Promise<void>;
}

/**
 * Slows down guessing, and the making of accounts, on all nodes together. It holds up the address that guesses, and
 * other users of that address only after many tries.
 */
export function createThrottle(attempts: AttemptStore, now: Clock): Throttle {
  /** By key, the refusals that this node knows of: whoever guesses on must not be let in by a remembered password. */
  const refusedUntil = new LRUCache<string, Seconds>({ max: 20_000 });
  /** By address. */
  const turns = new Turns<string>();

  const check = (key: string): void => {
    const wait = (refusedUntil.get(key) ?? 0) - now();
    if (wait > 0) throw refuse('wrong passwords', wait);
  };
  const learn = (key: string, wait: Seconds): void => {
    if (wait > 0) refusedUntil.set(key, now() + wait);
    else refusedUntil.delete(key);
  };

  const attempt = async (login: string, address: string, compare: () => Promise<boolean>): Promise<boolean> => {
    const pair = pairOf(login, address);
    learn(address, await attempts.add(keyOf(address), PER_ADDRESS));
    check(address);
    const wait = await attempts.add(keyOf(pair), PER_LOGIN_AND_ADDRESS);
    learn(pair, wait);
    if (wait > 0) await attempts.takeBack(keyOf(address)); // it is not compared
    check(pair);
    if (await compare()) {
      for (const key of [pair, address]) {
        await attempts.takeBack(keyOf(key));
        refusedUntil.delete(key); // while it was compared it may have counted as the last wrong one
      }
      return true;
    }
    learn(address, await attempts.wait(keyOf(address), PER_ADDRESS));
    learn(pair, await attempts.wait(keyOf(pair), PER_LOGIN_AND_ADDRESS));
    return false;
  };

  return {
    check(login, address) {
      check(pairOf(login, address));
      check(address);
    },

    attempt: (login, address, compare) => turns.take(address, () => attempt(login, address, compare)),

    async admit(address) {
      const wait = await attempts.add(keyOf(`register ${address}`), ACCOUNTS_PER_ADDRESS);
      if (wait > 0) throw refuse('accounts were made from here', wait);
    },
  };
}

function refuse(what: string, wait: Seconds): Refusal {
  const inWords = wait < 120 ? `${wait} seconds` : `${Math.ceil(wait / 60)} minutes`;
  return new Refusal('throttled', `too many ${what}; try again in ${inWords}`, wait);
}

const pairOf = (login: string, address: string): string => `${address} ${login.toLowerCase()}`;

/** What is stored names neither addresses nor what somebody typed for a user name. */
const keyOf = (text: string): string => hash('sha256', text, 'base64url');
