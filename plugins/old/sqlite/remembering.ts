import type { StorageContext, Storage } from '../../../src/old-plugin.ts';

/** The most accounts and sessions that are remembered. */
const MOST = 10_000;

/**
 * Every request begins with the question who is asking. So that it need not wait for the thread for that, too, accounts
 * and sessions are remembered until one of them changes. They can change only through here, as the file belongs to this
 * process alone.
 */
export function rememberWho(
  { users, sessions, transfer }: Pick<Storage, 'users' | 'sessions' | 'transfer'>,
  now: StorageContext['now'],
): Pick<Storage, 'users' | 'sessions' | 'transfer'> {
  const known = new Map<string, unknown>();
  let changes = 0;

  const ask = async <T>(key: string, find: () => Promise<T | undefined>): Promise<T | undefined> => {
    const asked = changes;
    const found = await find();
    if (found === undefined || asked !== changes) return found; // it may be older than the change
    if (known.size >= MOST) known.clear();
    known.set(key, found);
    return found;
  };
  const forget = (): void => {
    changes += 1;
    known.clear();
  };
  /** From the moment it is asked for until it is answered, both states are possible. */
  const changing =
    <Args extends unknown[], T>(verb: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> => {
      forget();
      return verb(...args).finally(forget);
    };

  return {
    users: {
      ...users,
      async find(login) {
        const key = `user ${login}`;
        return (known.get(key) as Awaited<ReturnType<typeof users.find>>) ?? ask(key, () => users.find(login));
      },
      setPassword: changing(users.setPassword),
      rename: changing(users.rename),
      delete: changing(users.delete),
    },
    sessions: {
      ...sessions,
      async find(digest) {
        const key = `session ${digest}`;
        const before = known.get(key) as Awaited<ReturnType<typeof sessions.find>>;
        if (before && before.session.expiresAt > now()) return before;
        return ask(key, () => sessions.find(digest));
      },
      save: changing(sessions.save),
      prolong: changing(sessions.prolong),
      delete: changing(sessions.delete),
      endAll: changing(sessions.endAll),
      deleteExpired: changing(sessions.deleteExpired),
    },
    transfer: { ...transfer, importUser: changing(transfer.importUser), clear: changing(transfer.clear) },
  };
}
