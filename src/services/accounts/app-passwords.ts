import { hash, randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { isLonger } from '../../domain/count.ts';
import { MAX_CAPTION } from '../../domain/device.ts';
import { invalid, Refusal } from '../../domain/errors.ts';
import type { Seconds, UserId } from '../../domain/types.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { AppPassword, Storage, User } from '../../storage/stores.ts';
import { cutAppName } from '../sync/app-name.ts';
import type { SessionClient } from './sessions.ts';

/** Letters and digits that are not mistaken for each other. Each is 5 bits. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 6;
const GROUP_LENGTH = 5;
const SECRET = new RegExp(`^[${LETTERS}]{${GROUP_LENGTH}}(?:-[${LETTERS}]{${GROUP_LENGTH}}){${GROUPS - 1}}$`);

/** How often the last use is written down. */
const NOTED_EVERY: Seconds = 3600;
/** App passwords of one user. */
const MAX_APP_PASSWORDS = 100;

/**
 * Passwords that a user makes for one app each, and can revoke one at a time. They are random, so that nobody guesses
 * one: what is stored is their plain hash, and one that is right needs no slow comparison and no throttle.
 */
export interface AppPasswords {
  /** Creates one and answers it: it is never shown again. Throws `invalid` for the label, `conflict` for too many. */
  create(user: UserId, label: string): Promise<string>;
  /** Whose app password this is, and notes its use; undefined for any other text. */
  find(secret: string, client: SessionClient): Promise<{ user: User; appPassword: AppPassword } | undefined>;
  /** Those of a user, the first created first. */
  all(user: UserId): Promise<OwnAppPassword[]>;
  /** Revokes one of a user by its id; false where there is none. */
  revoke(user: UserId, id: string): Promise<boolean>;
}

/** An app password as its owner sees it. */
export interface OwnAppPassword extends Omit<AppPassword, 'digest' | 'user'> {
  /** Names it to its owner; opens nothing. */
  id: string;
}

/** Whether this is written like an app password. */
export const isAppPassword = (text: string): boolean => SECRET.test(text);

/** Throws `invalid` where this cannot be the label of an app password. */
export function checkAppLabel(label: string): void {
  if (label.trim() === '') throw invalid('name the app that the password is for');
  if (isLonger(label, MAX_CAPTION)) throw invalid(`the name of the app may have up to ${MAX_CAPTION} characters`);
}

export function createAppPasswords(
  { appPasswords, settings }: Pick<Storage, 'appPasswords' | 'settings'>,
  now: Clock,
): AppPasswords {
  /** By digest, when a use was written down here. */
  const noted = new LRUCache<string, Seconds>({ max: 10_000 });

  const noteUse = async ({ user, digest, usedAt }: AppPassword, { address, app }: SessionClient): Promise<void> => {
    const latest = Math.max(usedAt ?? -Infinity, noted.get(digest) ?? -Infinity);
    if (latest + NOTED_EVERY > now()) return;
    noted.set(digest, now());
    try {
      const { store_user_agent: isKept } = await settings.get(user, { kind: 'account' });
      const use = { usedAt: now(), address, app: isKept === false ? '' : cutAppName(app) };
      await appPasswords.noteUse(user, digest, use);
    } catch (error) {
      if (!isStorageError(error)) throw error; // the app goes on where there is no room for a note of it
    }
  };

  return {
    async create(user, label) {
      checkAppLabel(label);
      if ((await appPasswords.all(user)).length >= MAX_APP_PASSWORDS) {
        throw new Refusal(
          'conflict',
          `an account has up to ${MAX_APP_PASSWORDS} app passwords; revoke those that are not used`,
        );
      }
      const secret = createSecret();
      const digest = digestOf(secret);
      const device = `app-${idOf(digest)}`;
      await appPasswords.create({ digest, user, label: label.trim(), device, createdAt: now() });
      return secret;
    },

    async find(secret, client) {
      if (!isAppPassword(secret)) return undefined;
      const found = await appPasswords.find(digestOf(secret));
      if (found) await noteUse(found.appPassword, client);
      return found;
    },

    async all(user) {
      const all = await appPasswords.all(user);
      return all.map(toOwn);
    },

    async revoke(user, id) {
      const found = (await appPasswords.all(user)).find(({ digest }) => idOf(digest) === id);
      return found !== undefined && (await appPasswords.revoke(user, found.digest));
    },
  };
}

function toOwn({ digest, user: _user, ...own }: AppPassword): OwnAppPassword {
  return { id: idOf(digest), ...own };
}

const createSecret = (): string => Array.from({ length: GROUPS }, createGroup).join('-');

const createGroup = (): string =>
  Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** What is stored of it signs nobody in. */
const digestOf = (secret: string): string => hash('sha256', secret, 'base64url');

const idOf = (digest: string): string => Buffer.from(digest, 'base64url').toString('hex').slice(0, 12);
