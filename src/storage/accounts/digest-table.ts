import type { UserId } from '../../domain/types.ts';
import type { Entry, Key, KeyValueStore, Value } from '../contract.ts';
import type { Prefix } from '../keys.ts';
import { listAll } from '../rows.ts';
import type { AppPassword, Session } from '../stores.ts';
import { valuesOf } from '../values.ts';
import { escaped } from './account-keys.ts';

/** Rows of all accounts by digest, each stored as its JSON, with an index for each account. */
class DigestTable<Row extends { digest: string; user: UserId }> {
  readonly prefix: Prefix;
  readonly #name: string;

  constructor(prefix: Prefix, name: string) {
    this.prefix = prefix;
    this.#name = name;
  }

  readonly key = (digest: string): Key => `${this.prefix}${escaped(digest)}`;

  /** The index of an account. */
  index(user: UserId): Prefix {
    return `u/${user}/${this.#name}/`;
  }

  indexKey({ user, digest }: Pick<Row, 'user' | 'digest'>): Key {
    return `${this.index(user)}${escaped(digest)}`;
  }

  /** The key of a row, and its key in the index. */
  readonly keys = (row: Pick<Row, 'user' | 'digest'>): Key[] => [this.key(row.digest), this.indexKey(row)];

  /** The entry of a row, and its entry in the index. */
  readonly entries = (row: Row): [[Key, Value], [Key, Value]] => [
    [this.key(row.digest), JSON.stringify(row)],
    [this.indexKey(row), JSON.stringify({ digest: row.digest })],
  ];

  /** The keys of the rows in an index. */
  rowKeys(index: readonly Entry[]): Key[] {
    return valuesOf<{ digest: string }>(index).map(({ digest }) => this.key(digest));
  }

  /** The rows of an account. */
  async read(store: KeyValueStore, user: UserId): Promise<Row[]> {
    return valuesOf(await store.get(this.rowKeys(await listAll(store, this.index(user)))));
  }
}

/** `epoch`: see `Head`. The session has ended if its account has a later one. */
export type StoredSession = Session & { epoch: number };

export const SESSIONS = new DigestTable<StoredSession>('s/', 'sessions');
export const APP_PASSWORDS = new DigestTable<AppPassword>('w/', 'app-passwords');
