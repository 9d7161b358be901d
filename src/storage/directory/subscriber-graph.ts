import { LRUCache } from 'lru-cache';
import type { UserId } from '../../domain/types.ts';
import type { KeyValueStore } from '../contract.ts';
import { under, type UrlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { Address } from './podcast.ts';

/** Edges in the cache. */
const MAX_CACHED_EDGES = 1_000_000;

/** Cached lookups of who subscribes to what. Users are numbered, because counting over numbers is fast. */
export class SubscriberGraph {
  /** By number. */
  readonly users: UserId[] = [];
  readonly #numbers = new Map<UserId, number>();
  readonly #store: KeyValueStore;
  readonly #addressOf: (digest: UrlDigest) => Address | undefined;
  /** User or address numbers, by key prefix. */
  readonly #links = new LRUCache<string, Set<number>>({
    maxSize: MAX_CACHED_EDGES,
    sizeCalculation: ({ size }) => size + 1,
  });
  /** Prefixes being read that have not changed meanwhile. */
  readonly #loading = new Map<string, symbol>();

  constructor(store: KeyValueStore, addressOf: (digest: UrlDigest) => Address | undefined) {
    this.#store = store;
    this.#addressOf = addressOf;
  }

  /** Numbers of the users who subscribe to exactly this URL. */
  usersOf({ digest }: Address): Promise<ReadonlySet<number>> {
    return this.#read(`f/${digest}/`, (user) => this.#numberOf(user as UserId));
  }

  /** Numbers of the addresses that a user subscribes to. */
  addressesOf(user: UserId): Promise<ReadonlySet<number>> {
    return this.#read(`b/${user}/`, (digest) => this.#addressOf(digest)?.number);
  }

  set(user: UserId, address: Address, isSubscribed: boolean): void {
    this.#set(`f/${address.digest}/`, () => this.#numberOf(user), isSubscribed);
    this.#set(`b/${user}/`, () => address.number, isSubscribed);
  }

  /** Evicts a URL or user that another process has changed. */
  drop(changed: UrlDigest | UserId): void {
    for (const prefix of [`f/${changed}/`, `b/${changed}/`]) {
      this.#loading.delete(prefix);
      this.#links.delete(prefix);
    }
  }

  clear(): void {
    this.#links.clear();
    this.#loading.clear();
  }

  async #read(prefix: `${string}/`, toNumber: (end: string) => number | undefined): Promise<ReadonlySet<number>> {
    const known = this.#links.get(prefix);
    if (known) return known;
    const loading = Symbol(prefix);
    this.#loading.set(prefix, loading);
    const numbers = new Set<number>();
    let isWhole = true;
    for await (const page of scan(this.#store, under(prefix))) {
      for (const { key } of page) {
        const number = toNumber(key.slice(prefix.length));
        if (number === undefined) isWhole = false; // its podcast may be added to the directory later
        else numbers.add(number);
      }
    }
    if (this.#loading.get(prefix) === loading) {
      this.#loading.delete(prefix);
      if (isWhole) this.#links.set(prefix, numbers);
    }
    return numbers;
  }

  #set(prefix: string, number: () => number, isSubscribed: boolean): void {
    this.#loading.delete(prefix);
    const known = this.#links.peek(prefix);
    if (!known) return;
    if (isSubscribed) known.add(number());
    else known.delete(number());
  }

  #numberOf(user: UserId): number {
    const known = this.#numbers.get(user);
    if (known !== undefined) return known;
    this.#numbers.set(user, this.users.length);
    return this.users.push(user) - 1;
  }
}
