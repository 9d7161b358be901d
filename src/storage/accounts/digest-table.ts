import type { UserId } from '../../domain/types.ts';
import type { Entry, Key, KeyValueStore, Value } from '../contract.ts';
import type { Prefix } from '../keys.ts';
import { listAll } from '../rows.ts';
import type { AppPassword, Session } from '../stores.ts';
import { valuesOf } from '../values.ts';
import { escaped } from './account-keys.ts';

type Digested = Pick<Session, 'digest' | 'user'>;

/** Rows of all accounts by digest, each stored as its JSON, with an index for each account. */
function createDigestTable<Row extends Digested>(prefix: Prefix, name: string) {
  const key = (digest: string): Key => `${prefix}${escaped(digest)}`;
  const index = (user: UserId): Prefix => `u/${user}/${name}/`;
  const indexKey = ({ user, digest }: Digested): Key => `${index(user)}${escaped(digest)}`;
  /** The keys of the rows in an index. */
  const rowKeys = (entries: readonly Entry[]): Key[] =>
    valuesOf<{ digest: string }>(entries).map(({ digest }) => key(digest));
  return {
    prefix,
    key,
    /** The index of an account. */
    index,
    indexKey,
    rowKeys,
    /** The key of a row, and its key in the index. */
    keys: (row: Digested): Key[] => [key(row.digest), indexKey(row)],
    /** The entry of a row, and its entry in the index. */
    entries: (row: Row): [[Key, Value], [Key, Value]] => [
      [key(row.digest), JSON.stringify(row)],
      [indexKey(row), JSON.stringify({ digest: row.digest })],
    ],
    /** The rows of an account. */
    read: async (store: KeyValueStore, user: UserId): Promise<Row[]> =>
      valuesOf(await store.get(rowKeys(await listAll(store, index(user))))),
  };
}

/** `epoch`: see `Head`. The session has ended if its account has a later one. */
export type StoredSession = Session & { epoch: number };

export const SESSIONS = createDigestTable<StoredSession>('s/', 'sessions');
export const APP_PASSWORDS = createDigestTable<AppPassword>('w/', 'app-passwords');
