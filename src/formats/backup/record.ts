import { ACTION_TYPES, DEVICE_TYPES, type SettingScope } from '../../domain/types.ts';
import type { DirectoryRecord, UserRecord } from '../../storage/stores.ts';
import { json, array, byKind, boolean, object, oneOf, optional, nullable, pair, string, integer } from './schema.ts';

type Account = Extract<UserRecord, { kind: 'user' }>;

/** The first record of an account. Without `passwordHash` in a backup without passwords. */
export type AccountRecord = Omit<Account, 'passwordHash'> & Partial<Pick<Account, 'passwordHash'>>;

/** A line of a backup, except the first and the last one. */
export type BackupRecord = AccountRecord | Exclude<UserRecord, Account> | DirectoryRecord;

const SCOPE = byKind<SettingScope>({
  account: object({ kind: oneOf('account') }),
  device: object({ kind: oneOf('device'), device: string }),
  podcast: object({ kind: oneOf('podcast'), podcast: string }),
  episode: object({ kind: oneOf('episode'), podcast: string, episode: string }),
});

/** Sets the order of keys, so that equal records give the same text, whichever storage they come from. */
const RECORD = byKind<BackupRecord>({
  user: object({
    kind: oneOf('user'),
    name: string,
    email: optional(string),
    passwordHash: optional(string),
    createdAt: integer,
    stamp: integer,
  }),
  device: object({
    kind: oneOf('device'),
    device: object({ id: string, caption: string, type: oneOf(...DEVICE_TYPES), followsAll: optional(boolean) }),
    place: integer,
  }),
  group: object({ kind: oneOf('group'), devices: array(string) }),
  subscription: object({
    kind: oneOf('subscription'),
    device: string,
    url: string,
    subscribed: boolean,
    stamp: integer,
    place: integer,
  }),
  action: object({
    kind: oneOf('action'),
    action: object({
      podcast: string,
      episode: string,
      device: optional(string),
      guid: optional(string),
      action: oneOf(...ACTION_TYPES),
      timestamp: integer,
      play: optional(object({ position: integer, started: optional(integer), total: optional(integer) })),
    }),
    stamp: integer,
    uploadedAt: integer,
  }),
  settings: object({ kind: oneOf('settings'), scope: SCOPE, values: array(pair(string, json)) }),
  list: object({ kind: oneOf('list'), list: object({ name: string, title: string, urls: array(string) }) }),
  appPassword: object({
    kind: oneOf('appPassword'),
    digest: string,
    label: string,
    device: string,
    createdAt: integer,
    usedAt: optional(integer),
    address: optional(string),
    app: optional(string),
  }),
  session: object({ kind: oneOf('session'), digest: string, expiresAt: integer }),
  tag: object({ kind: oneOf('tag'), tag: string, title: string }),
  podcast: object({
    kind: oneOf('podcast'),
    url: string,
    info: object({
      title: string,
      author: string,
      description: string,
      website: string,
      logoUrl: nullable(string),
      language: string,
      tags: array(string),
      blocked: boolean,
    }),
    feed: object({
      etag: optional(string),
      lastModified: optional(string),
      intervalSeconds: integer,
      failures: integer,
      nextAt: optional(integer),
      fetchedAt: optional(integer),
      error: optional(string),
      guid: optional(string),
      apart: optional(string),
    }),
    formerUrls: array(string),
  }),
  episode: object({
    kind: oneOf('episode'),
    episode: object({
      url: string,
      guid: optional(string),
      title: string,
      description: string,
      website: string,
      releasedAt: optional(integer),
      duration: optional(integer),
      stamp: integer,
      formerUrls: array(string),
    }),
  }),
  toplist: object({ kind: oneOf('toplist'), at: integer, urls: array(string) }),
});

/** A valid record, its keys in order. Throws `ValidationError` for anything else. */
export const readRecord = (value: unknown): BackupRecord => RECORD.read(value, 'it');

/** The order of records in an account, and then in the directory. Each podcast is followed by its episodes. */
const ORDER: Record<BackupRecord['kind'], number> = {
  user: 0,
  device: 1,
  group: 2,
  subscription: 3,
  action: 4,
  settings: 5,
  list: 6,
  appPassword: 7,
  session: 8,
  tag: 9,
  podcast: 10,
  episode: 10,
  toplist: 11,
};

/** Whether a record may follow one of the kind `previous`; undefined for the first record. */
export function mayFollow(kind: BackupRecord['kind'], previous: BackupRecord['kind'] | undefined): boolean {
  if (kind === 'episode') return previous === 'podcast' || previous === 'episode';
  const isInDirectory = previous !== undefined && ORDER[previous] >= ORDER.tag;
  if (kind === 'user') return !isInDirectory;
  const belongsToAccount = ORDER[kind] < ORDER.tag;
  return previous === undefined ? !belongsToAccount : ORDER[kind] >= ORDER[previous];
}
