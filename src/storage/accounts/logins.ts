import type { UserId } from '../../domain/types.ts';
import type { Entry, Key, KeyValueStore, Value } from '../contract.ts';
import { StorageError } from '../errors.ts';
import { valueOf } from '../values.ts';
import { loginKey } from './account-keys.ts';

/** The names by which an account is found. */
type Logins = { name: string; email?: string | undefined };

/** The keys of the name, and of the e-mail address if that is different. */
export const loginKeys = ({ name, email }: Logins): Key[] => [
  ...new Set([name, email].flatMap((login) => (login === undefined ? [] : loginKey(login)))),
];

export const setLogins = (keys: readonly Key[], user: UserId): [Key, Value][] =>
  keys.map((key) => [key, JSON.stringify({ user })]);

/** The account of a login, which `setLogins` has written. */
export const userIn = (login: Entry): UserId => valueOf<{ user: UserId }>(login).user;

/** Throws `conflict` if another account than `user` has the name or the e-mail address. */
export async function requireFreeLogins(store: KeyValueStore, { name, email }: Logins, user?: UserId): Promise<void> {
  const owners = await store.get([loginKey(name), loginKey(email ?? name)]);
  const taken = owners.findIndex((login) => login !== undefined && userIn(login) !== user);
  if (taken === -1) return;
  const what = taken === 0 ? 'name' : 'e-mail address';
  throw new StorageError('conflict', `an account with this ${what} already exists`);
}
