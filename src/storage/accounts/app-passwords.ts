import { compareText } from '../../domain/text-order.ts';
import type { UserId } from '../../domain/types.ts';
import { accountAppPasswordKey, accountAppPasswords, appPasswordKey } from './account-keys.ts';
import type { Key, Value } from '../contract.ts';
import type { Core } from './core.ts';
import { unlessMissing } from '../store-errors.ts';
import { toUser } from './head.ts';
import { under } from '../keys.ts';
import { listAll } from '../rows.ts';
import type { AppPassword, AppPasswordStore } from '../stores.ts';

/** Without a cache: an app password that another process has revoked is refused at once. */
export function createAppPasswordStore(core: Core): AppPasswordStore {
  const { store, accounts } = core;

  const read = async (digest: string): Promise<AppPassword | undefined> => {
    const [entry] = await store.get([appPasswordKey(digest)]);
    return entry && (JSON.parse(entry.value) as AppPassword);
  };

  return {
    create: (appPassword) =>
      accounts.write(appPassword.user, () => ({
        result: undefined,
        write: { set: appPasswordEntries(appPassword) },
      })),

    async find(digest) {
      const appPassword = await read(digest);
      if (!appPassword) return undefined;
      const { user: id } = appPassword;
      const user = await unlessMissing(accounts.read(id, [], ({ head }) => toUser(id, head)));
      return user && { appPassword, user };
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
  [accountAppPasswordKey(appPassword.user, appPassword.digest), JSON.stringify({ digest: appPassword.digest })],
];

/** The app passwords of an account, by time created, then digest. */
export async function readAppPasswords({ store }: Core, user: UserId): Promise<AppPassword[]> {
  const index = await listAll(store, under(accountAppPasswords(user)));
  const digests = index.map(({ value }) => (JSON.parse(value) as { digest: string }).digest);
  const entries = await store.get(digests.map(appPasswordKey));
  return entries
    .flatMap((entry) => (entry ? (JSON.parse(entry.value) as AppPassword) : []))
    .toSorted((a, b) => a.createdAt - b.createdAt || compareText(a.digest, b.digest));
}
