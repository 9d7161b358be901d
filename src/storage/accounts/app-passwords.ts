import { compareText } from '../../domain/text-order.ts';
import type { UserId } from '../../domain/types.ts';
import type { Core } from '../core.ts';
import type { AppPassword, AppPasswordStore } from '../stores.ts';
import { readValue } from '../values.ts';
import { servedMarksKey } from './account-keys.ts';
import { APP_PASSWORDS } from './digest-table.ts';
import { toUser } from './head.ts';

/** Without a cache: an app password that another process has revoked is refused at once. */
export function createAppPasswordStore(core: Core): AppPasswordStore {
  const { store, accounts } = core;

  const read = (digest: string) => readValue<AppPassword>(store, APP_PASSWORDS.key(digest));

  return {
    create: (appPassword) =>
      accounts.write(appPassword.user, () => ({
        result: undefined,
        write: { set: APP_PASSWORDS.entries(appPassword) },
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
        return { result: true, write: { set: [[APP_PASSWORDS.key(digest), JSON.stringify({ ...before, ...use })]] } };
      }),

    revoke: (user, digest) =>
      accounts.write(user, async () => {
        const before = await read(digest);
        if (before?.user !== user) return { result: false };
        const servedMarks = servedMarksKey(user, before.device); // nobody reads them any more
        return { result: true, write: { delete: [...APP_PASSWORDS.keys(before), servedMarks] } };
      }),
  };
}

/** The app passwords of an account, by time created, then digest. */
export async function readAppPasswords({ store }: Core, user: UserId): Promise<AppPassword[]> {
  const appPasswords = await APP_PASSWORDS.read(store, user);
  return appPasswords.toSorted((a, b) => a.createdAt - b.createdAt || compareText(a.digest, b.digest));
}
