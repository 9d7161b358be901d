import { LOGIN_GRANTS, loginGrantKey } from './account-keys.ts';
import type { Entry } from '../contract.ts';
import type { Core } from './core.ts';
import { unlessMissing } from '../store-errors.ts';
import { toUser } from './head.ts';
import { under } from '../keys.ts';
import { scan } from '../rows.ts';
import type { GrantedLogin, LoginStore } from '../stores.ts';

/** A taken login is kept until it expires, so that it cannot be granted again. */
type StoredLogin = GrantedLogin & { isTaken?: true };

export function createLoginStore({ store, accounts, context }: Core): LoginStore {
  const isExpired = (entry: Entry): boolean => readLogin(entry).expiresAt <= context.now();

  const removeExpired = async (): Promise<void> => {
    for await (const page of scan(store, under(LOGIN_GRANTS))) {
      const expired = page.filter(isExpired).map(({ key }) => key);
      if (expired.length > 0) await store.commit({ delete: expired });
    }
  };

  return {
    async grant(login) {
      await removeExpired();
      const key = loginGrantKey(login.digest);
      return (await store.commit({ check: [[key, 0]], set: [[key, JSON.stringify(login)]] })) !== undefined;
    },

    async take(digest) {
      const key = loginGrantKey(digest);
      const [entry] = await store.get([key]);
      if (!entry || isExpired(entry)) return undefined;
      const { isTaken, ...login } = readLogin(entry);
      if (isTaken) return undefined;
      const taken: StoredLogin = { ...login, isTaken: true };
      const isFirst = await store.commit({ check: [[key, entry.version]], set: [[key, JSON.stringify(taken)]] });
      if (isFirst === undefined) return undefined;
      const user = await unlessMissing(accounts.read(login.user, [], ({ head }) => toUser(login.user, head)));
      return user && { login, user };
    },
  };
}

const readLogin = ({ value }: Entry): StoredLogin => JSON.parse(value) as StoredLogin;
