import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { isLonger } from '../../domain/count.ts';
import { MAX_CAPTION } from '../../domain/device.ts';
import { invalid, Refusal } from '../../domain/errors.ts';
import { digestOf } from '../../domain/secret.ts';
import type { Seconds, UserId } from '../../domain/types.ts';
import { atMost } from '../../lru.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { AppPassword, Storage, User } from '../../storage/stores.ts';
import { storedAppName } from '../sync/app-name.ts';
import { createGroupedSecret } from './grouped-secret.ts';
import type { SessionClient } from './sessions.ts';

const GROUPS = 6;
/** The form of what `createGroupedSecret` returns. */
const SECRET = new RegExp(`^[a-z2-9]{5}(?:-[a-z2-9]{5}){${GROUPS - 1}}$`);

/** How often the last use is stored. */
const RECORDED_EVERY: Seconds = 3600;
/** App passwords of one user. */
const MAX_APP_PASSWORDS = 100;

/**
 * Passwords for one app each, which the user creates and can revoke one at a time. They are random and cannot be guessed:
 * a plain hash of them is stored, and checking one needs neither a slow comparison nor a throttle.
 */
export interface AppPasswords {
  /** Creates one and returns it: it is never shown again. Throws `invalid` for the label, `conflict` for too many. */
  create(user: UserId, label: string): Promise<string>;
  /** Throws as `create` would with this label. */
  check(user: UserId, label: string): Promise<void>;
  /** The owner of an app password; records its use. Undefined for any other text. */
  find(secret: string, client: SessionClient): Promise<{ user: User; appPassword: AppPassword } | undefined>;
  /** Those of a user, the oldest first. */
  all(user: UserId): Promise<OwnAppPassword[]>;
  /** Revokes one of a user by its id; false if it does not exist. */
  revoke(user: UserId, id: string): Promise<boolean>;
}

/** An app password as its owner sees it. */
export interface OwnAppPassword extends Omit<AppPassword, 'digest' | 'user'> {
  /** Identifies it to its owner; grants no access. */
  id: string;
}

/** Whether this looks like an app password. */
export const isAppPassword = (text: string): boolean => SECRET.test(text);

/** Throws `invalid` unless this is a valid label for an app password. */
export function checkAppLabel(label: string): void {
  if (label.trim() === '') throw invalid('the name of the app is empty');
  if (isLonger(label, MAX_CAPTION)) throw invalid(`the name of the app may have up to ${MAX_CAPTION} characters`);
}

export function createAppPasswords(
  { appPasswords, settings }: Pick<Storage, 'appPasswords' | 'settings'>,
  now: Clock,
): AppPasswords {
  /** By digest, when this process last stored a use. */
  const recorded = new LRUCache<string, Seconds>(atMost(10_000));

  const recordUse = async ({ user, digest, usedAt }: AppPassword, { address, app }: SessionClient): Promise<void> => {
    const latest = Math.max(usedAt ?? -Infinity, recorded.get(digest) ?? -Infinity);
    // A use in the future was recorded by a clock that was wrong.
    if (latest <= now() && latest + RECORDED_EVERY > now()) return;
    recorded.set(digest, now());
    try {
      const use = { usedAt: now(), address, app: await storedAppName(settings, user, app) };
      await appPasswords.recordUse(user, digest, use);
    } catch (error) {
      if (!isStorageError(error)) throw error; // the login succeeds even if its use cannot be stored
    }
  };

  const check: AppPasswords['check'] = async (user, label) => {
    checkAppLabel(label);
    if ((await appPasswords.all(user)).length < MAX_APP_PASSWORDS) return;
    throw new Refusal(
      'conflict',
      `an account has up to ${MAX_APP_PASSWORDS} app passwords; revoke those that are not used`,
    );
  };

  return {
    check,

    async create(user, label) {
      await check(user, label);
      const secret = createGroupedSecret(GROUPS);
      const digest = digestOf(secret);
      const device = `app-${appPasswordId(digest)}`;
      await appPasswords.create({ digest, user, label: label.trim(), device, createdAt: now() });
      return secret;
    },

    async find(secret, client) {
      if (!isAppPassword(secret)) return undefined;
      const found = await appPasswords.find(digestOf(secret));
      if (found) await recordUse(found.appPassword, client);
      return found;
    },

    async all(user) {
      const all = await appPasswords.all(user);
      return all.map(toOwn);
    },

    async revoke(user, id) {
      const found = (await appPasswords.all(user)).find(({ digest }) => appPasswordId(digest) === id);
      return found !== undefined && (await appPasswords.revoke(user, found.digest));
    },
  };
}

function toOwn({ digest, user: _user, ...own }: AppPassword): OwnAppPassword {
  return { id: appPasswordId(digest), ...own };
}

/** Id of an app password for its owner; grants no access. */
export const appPasswordId = (digest: string): string => Buffer.from(digest, 'base64url').toString('hex').slice(0, 12);
