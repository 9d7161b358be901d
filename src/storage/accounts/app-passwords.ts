import { compareText } from '../../domain/text-order.ts';
import type { UserId } from '../../domain/types.ts';
import { accountAppPasswordKey, accountAppPasswords, appPasswordKey, digestsIn, indexValue } from './account-keys.ts';
import type { Key, Value } from '../contract.ts';
import type { Core } from './core.ts';
import { toUser } from './head.ts';
import { under } from '../keys.ts';
import { listAll } from '../rows.ts';
import type { AppPassword, AppPasswordStore } from '../stores.ts';
import { readValue, valuesOf } from '../values.ts';

/** Without a cache: an app password that another process has revoked is refused at once. */
export function createAppPasswordStore(core: Core): AppPasswordStore {
  const { store, accounts } = core;

  const read = (digest: string) => readValue<AppPassword>(store, appPasswordKey(digest));

  return {
    create: (appPassword) =>
      accounts.write(appPassword.user, () => ({
        result: undefined,
        write: { set: appPasswordEntries(appPassword) },
      })),

    async find(digest) {
      const appPassword = await read(digest);
      const head = appPassword && (await accounts.findHead(appPassword.user));
      return head && { appPassword, user: toUser(appPassword.user, head) };
    },

    all: (user) => readAppPasswords(core, user),

    recordUse: (user, digest, use) =>
      accounts.write(user, async () => {
        const before = await read(digest);
        if (before?.user !== user) return { result: false };
        return { result: true, write: { set: [[appPasswordKey(digest), JSON.stringify({ ...before, ...use })]] } };
      }),

    revoke: (user, digest) =>
      accounts.write(user, async () => {
        if ((await read(digest))?.user !== user) return { result: false };
        return {
          result: true,
          write: { delete: [appPasswordKey(digest), accountAppPasswordKey(user, digest)] },
        };
      }),
  };
}

/** The entries of an app password. */
export const appPasswordEntries = (appPassword: AppPassword): [Key, Value][] => [
  [appPasswordKey(appPassword.digest), JSON.stringify(appPassword)],
  [accountAppPasswordKey(appPassword.user, appPassword.digest), indexValue(appPassword)],
];

/** The app passwords of an account, by time created, then digest. */
export async function readAppPasswords({ store }: Core, user: UserId): Promise<AppPassword[]> {
  const digests = digestsIn(await listAll(store, under(accountAppPasswords(user))));
  const appPasswords = valuesOf<AppPassword>(await store.get(digests.map(appPasswordKey)));
  return appPasswords.toSorted((a, b) => a.createdAt - b.createdAt || compareText(a.digest, b.digest));
}
