import type { Core } from '../core.ts';
import { listAll } from '../rows.ts';
import type { GrantedLogin, AppLoginStore } from '../stores.ts';
import { readValue, updateValue, valueOf } from '../values.ts';
import { APP_LOGINS, appLoginKey } from './account-keys.ts';
import { toUser } from './head.ts';

/** A taken login is kept until it expires, so that it cannot be granted again. */
type StoredLogin = GrantedLogin & { isTaken?: true };

export function createAppLoginStore({ store, accounts, context }: Core): AppLoginStore {
  const isExpired = ({ expiresAt }: GrantedLogin): boolean => expiresAt <= context.now();

  return {
    async grant(login) {
      const stored = await listAll(store, APP_LOGINS);
      const expired = stored.filter((entry) => isExpired(valueOf(entry))).map(({ key }) => key);
      if (expired.length > 0) await store.commit({ delete: expired });
      const key = appLoginKey(login.digest);
      return (await store.commit({ check: [[key, 0]], set: [[key, JSON.stringify(login)]] })) !== undefined;
    },

    isGranted: async (digest) => (await readValue<StoredLogin>(store, appLoginKey(digest))) !== undefined,

    async take(digest) {
      const login = await updateValue<StoredLogin, GrantedLogin | undefined>(store, appLoginKey(digest), (stored) =>
        !stored || stored.isTaken || isExpired(stored)
          ? { result: undefined }
          : { result: stored, value: { ...stored, isTaken: true } },
      );
      const head = login && (await accounts.findHead(login.user));
      return head && { login, user: toUser(login.user, head) };
    },
  };
}
