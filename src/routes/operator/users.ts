import { formatUtc } from '../../domain/timestamp.ts';
import type { Device, Dialect, Seconds } from '../../domain/types.ts';
import { readObject } from '../../http/body.ts';
import { readParam, toBooleanFields, toStringFields } from '../../http/input.ts';
import { EMPTY, json } from '../../http/reply.ts';
import type { AccountDetails, AccountSummary } from '../../services/accounts/administration.ts';
import type { OpenSession } from '../../services/accounts/sessions.ts';
import type { Services } from '../../services/services.ts';
import type { DeviceSummary, RefusedRequest, User } from '../../storage/stores.ts';
import type { Handler, RouteContext } from '../route.ts';
import { type ListedAppPassword, toListedAppPassword } from './app-passwords.ts';

interface DescribedUser {
  name: string;
  email: string | null;
  /** In UTC, as `2026-01-31T12:00:00Z`. */
  created: string;
  /** By an app, accurate to the hour; null: none is known. */
  lastSync: string | null;
}

/** The response of `list`. */
export interface AccountList {
  accounts: ListedAccount[];
  /** Names or e-mail addresses of accounts that cannot be read, and why. */
  damaged: { login: string; problem: string }[];
}

type ListedAccount = DescribedUser & Omit<AccountSummary, 'user' | 'lastSyncAt'>;

/** The response of `show`. */
export type ShownAccount = DescribedUser &
  Omit<AccountDetails, 'user' | 'lastSyncAt' | 'appPasswords' | 'devices' | 'refusals'> & {
    appPasswords: ListedAppPassword[];
    devices: ShownDevice[];
    refusals: ShownRefusal[];
  };

/** Null: unknown. Times are as in `created`. */
interface ShownDevice extends Device, Pick<DeviceSummary, 'subscriptions'> {
  app: string | null;
  dialect: Dialect | null;
  lastSync: string | null;
}

/** The newest first. */
interface ShownRefusal {
  at: string;
  device: string | null;
  app: string | null;
  dialect: Dialect;
  reason: string;
}

/** A session in `sessions`. Times are as in `created`. */
export interface ListedSession {
  used: string;
  expires: string;
}

/** The accounts. */
export function createUserRoutes(
  { accounts, administration, sessions }: Pick<Services, 'accounts' | 'administration' | 'sessions'>,
  { bodyOptions }: RouteContext,
): Record<'list' | 'add' | 'show' | 'remove' | 'rename' | 'setPassword' | 'sessions' | 'endSessions', Handler> {
  return {
    async list() {
      const list: AccountList = { accounts: [], damaged: [] };
      const all = administration.list((login, { message }) => void list.damaged.push({ login, problem: message }));
      for await (const { user, lastSyncAt, ...counts } of all) {
        list.accounts.push({ ...describe(user, lastSyncAt), ...counts });
      }
      return json(list);
    },

    async add(event) {
      const body = await readObject(event, bodyOptions('operator'));
      const email = body.email === undefined ? {} : toStringFields(body, 'email');
      const choices = toBooleanFields(body, 'syncDevices', 'isPrivate');
      await accounts.create({ ...toStringFields(body, 'name', 'password'), ...email, ...choices });
      return EMPTY;
    },

    async show(event) {
      const { user, lastSyncAt, appPasswords, devices, refusals, ...rest } = await administration.show(
        readParam(event, 'user'),
      );
      const account: ShownAccount = {
        ...describe(user, lastSyncAt),
        ...rest,
        appPasswords: appPasswords.map(toListedAppPassword),
        devices: devices.map(toShownDevice),
        refusals: refusals.map(toShownRefusal),
      };
      return json(account);
    },

    async remove(event) {
      await administration.remove(readParam(event, 'user'));
      return EMPTY;
    },

    async rename(event) {
      const { name } = toStringFields(await readObject(event, bodyOptions('operator')), 'name');
      await administration.rename(readParam(event, 'user'), name);
      return EMPTY;
    },

    async setPassword(event) {
      const { password } = toStringFields(await readObject(event, bodyOptions('operator')), 'password');
      await administration.setPassword(readParam(event, 'user'), password);
      return EMPTY;
    },

    async sessions(event) {
      const { id } = await administration.find(readParam(event, 'user'));
      return json((await sessions.all(id)).map(toListed));
    },

    async endSessions(event) {
      const { id } = await administration.find(readParam(event, 'user'));
      return json({ ended: await sessions.endAll(id) });
    },
  };
}

const toShownDevice = ({ id, caption, type, subscriptions, app, dialect, syncedAt }: DeviceSummary): ShownDevice => ({
  id,
  caption,
  type,
  subscriptions,
  app: app || null,
  dialect: dialect ?? null,
  lastSync: syncedAt === undefined ? null : formatUtc(syncedAt),
});

const toShownRefusal = ({ at, device, app, dialect, reason }: RefusedRequest): ShownRefusal => ({
  at: formatUtc(at),
  device: device ?? null,
  app: app || null,
  dialect,
  reason,
});

const toListed = ({ usedAt, expiresAt }: OpenSession): ListedSession => ({
  used: formatUtc(usedAt),
  expires: formatUtc(expiresAt),
});

const describe = ({ name, email, createdAt }: User, lastSyncAt: Seconds | undefined): DescribedUser => ({
  name,
  email: email ?? null,
  created: formatUtc(createdAt),
  lastSync: lastSyncAt === undefined ? null : formatUtc(lastSyncAt),
});
