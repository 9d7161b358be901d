import { ACTION_TYPES, DEVICE_TYPES, type SettingScope } from '../../domain/types.ts';
import type { DirectoryRecord, UserRecord } from '../../storage/stores.ts';
import { anything, array, byKind, flag, object, oneOf, optional, orNull, pair, text, whole } from './shape.ts';

type Account = Extract<UserRecord, { kind: 'user' }>;

/** The first record of an account. Without `passwordHash` where the backup holds no passwords. */
export type AccountRecord = Omit<Account, 'passwordHash'> & Partial<Pick<Account, 'passwordHash'>>;

/** What every line of a backup is, but the first and the last. */
export type BackupRecord = AccountRecord | Exclude<UserRecord, Account> | DirectoryRecord;

const SCOPE = byKind<SettingScope>({
  account: object({ kind: oneOf('account') }),
  device: object({ kind: oneOf('device'), device: text }),
  podcast: object({ kind: oneOf('podcast'), podcast: text }),
  episode: object({ kind: oneOf('episode'), podcast: text, episode: text }),
});

/** With the keys in this order, the same record is the same text, whichever storage it comes from. */
const RECORD = byKind<BackupRecord>({
  user: object({
    kind: oneOf('user'),
    name: text,
    email: optional(text),
    passwordHash: optional(text),
    createdAt: whole,
    stamp: whole,
  }),
  device: object({
    kind: oneOf('device'),
    device: object({ id: text, caption: text, type: oneOf(...DEVICE_TYPES), followsAll: optional(flag) }),
    place: whole,
  }),
  group: object({ kind: oneOf('group'), devices: array(text) }),
  subscription: object({
    kind: oneOf('subscription'),
    device: text,
    url: text,
    subscribed: flag,
    stamp: whole,
    place: whole,
  }),
  action: object({
    kind: oneOf('action'),
    action: object({
      podcast: text,
      episode: text,
      device: optional(text),
      guid: optional(text),
      action: oneOf(...ACTION_TYPES),
      timestamp: whole,
      play: optional(object({ position: whole, started: optional(whole), total: optional(whole) })),
    }),
    stamp: whole,
    uploadedAt: whole,
  }),
  settings: object({ kind: oneOf('settings'), scope: SCOPE, values: array(pair(text, anything)) }),
  list: object({ kind: oneOf('list'), list: object({ name: text, title: text, urls: array(text) }) }),
  appPassword: object({
    kind: oneOf('appPassword'),
    digest: text,
    label: text,
    device: text,
    createdAt: whole,
    usedAt: optional(whole),
    address: optional(text),
    app: optional(text),
  }),
  session: object({ kind: oneOf('session'), digest: text, expiresAt: whole }),
  tag: object({ kind: oneOf('tag'), tag: text, title: text }),
  podcast: object({
    kind: oneOf('podcast'),
    url: text,
    info: object({
      title: text,
      author: text,
      description: text,
      website: text,
      logoUrl: orNull(text),
      language: text,
      tags: array(text),
      blocked: flag,
    }),
    feed: object({
      etag: optional(text),
      lastModified: optional(text),
      intervalSeconds: whole,
      failures: whole,
      nextAt: optional(whole),
      fetchedAt: optional(whole),
      error: optional(text),
      guid: optional(text),
      apart: optional(text),
    }),
    formerUrls: array(text),
  }),
  episode: object({
    kind: oneOf('episode'),
    episode: object({
      url: text,
      guid: optional(text),
      title: text,
      description: text,
      website: text,
      releasedAt: optional(whole),
      duration: optional(whole),
      stamp: whole,
      formerUrls: array(text),
    }),
  }),
  toplist: object({ kind: oneOf('toplist'), at: whole, urls: array(text) }),
});

/** A record with its keys in order. Throws `Misshapen` for anything else. */
export const readRecord = (value: unknown): BackupRecord => RECORD.read(value, 'it');

/** Within an account, and then within the directory. A podcast and its episodes take turns. */
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

/** Whether a record may come after one of the kind `before`; undefined: as the first. */
export function mayFollow(kind: BackupRecord['kind'], before: BackupRecord['kind'] | undefined): boolean {
  if (kind === 'episode') return before === 'podcast' || before === 'episode';
  const isInDirectory = before !== undefined && ORDER[before] >= ORDER.tag;
  if (kind === 'user') return !isInDirectory;
  const isOfAccount = ORDER[kind] < ORDER.tag;
  return before === undefined ? !isOfAccount : ORDER[kind] >= ORDER[before];
}
