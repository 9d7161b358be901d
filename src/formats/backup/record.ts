import * as v from 'valibot';
import { ACTION_TYPES, DEVICE_TYPES } from '../../domain/types.ts';
import type { DirectoryRecord, UserRecord } from '../../storage/stores.ts';

type Account = Extract<UserRecord, { kind: 'user' }>;

/** The first record of an account. Without `passwordHash` in a backup without passwords. */
export type AccountRecord = Omit<Account, 'passwordHash'> & Partial<Pick<Account, 'passwordHash'>>;

/** A line of a backup, except the first and the last one. */
export type BackupRecord = AccountRecord | Exclude<UserRecord, Account> | DirectoryRecord;

/** An invalid value. The message says where it is and what is expected there, never what was found: it may be secret. */
export class ValidationError extends Error {}

const string = v.string();
const integer = v.pipe(v.number(), v.safeInteger());
const boolean = v.boolean();
/** Any JSON. A tuple may lack its last entries if they may be undefined. */
const present = v.pipe(
  v.any(),
  v.check((value) => value !== undefined, 'a value'),
);
const oneOf = <const T extends readonly string[]>(values: T) => v.picklist(values, `one of ${values.join(', ')}`);

const SCOPE = v.variant('kind', [
  v.strictObject({ kind: v.literal('account') }),
  v.strictObject({ kind: v.literal('device'), device: string }),
  v.strictObject({ kind: v.literal('podcast'), podcast: string }),
  v.strictObject({ kind: v.literal('episode'), podcast: string, episode: string }),
]);

/** Sets the order of keys, so that equal records give the same text, whichever storage they come from. */
const RECORD = v.variant('kind', [
  v.strictObject({
    kind: v.literal('user'),
    name: string,
    email: v.exactOptional(string),
    passwordHash: v.exactOptional(string),
    createdAt: integer,
    stamp: integer,
  }),
  v.strictObject({
    kind: v.literal('device'),
    device: v.strictObject({
      id: string,
      caption: string,
      type: oneOf(DEVICE_TYPES),
      followsAll: v.exactOptional(boolean),
    }),
    place: integer,
  }),
  v.strictObject({ kind: v.literal('group'), devices: v.array(string) }),
  v.strictObject({
    kind: v.literal('subscription'),
    device: string,
    url: string,
    subscribed: boolean,
    stamp: integer,
    place: integer,
  }),
  v.strictObject({
    kind: v.literal('action'),
    action: v.strictObject({
      podcast: string,
      episode: string,
      device: v.exactOptional(string),
      guid: v.exactOptional(string),
      action: oneOf(ACTION_TYPES),
      timestamp: integer,
      play: v.exactOptional(
        v.strictObject({ position: integer, started: v.exactOptional(integer), total: v.exactOptional(integer) }),
      ),
    }),
    stamp: integer,
    uploadedAt: integer,
  }),
  v.strictObject({ kind: v.literal('settings'), scope: SCOPE, values: v.array(v.strictTuple([string, present])) }),
  v.strictObject({
    kind: v.literal('list'),
    list: v.strictObject({ name: string, title: string, urls: v.array(string) }),
  }),
  v.strictObject({
    kind: v.literal('appPassword'),
    digest: string,
    label: string,
    device: string,
    createdAt: integer,
    usedAt: v.exactOptional(integer),
    address: v.exactOptional(string),
    app: v.exactOptional(string),
  }),
  v.strictObject({ kind: v.literal('session'), digest: string, expiresAt: integer }),
  v.strictObject({ kind: v.literal('tag'), tag: string, title: string }),
  v.strictObject({
    kind: v.literal('podcast'),
    url: string,
    info: v.strictObject({
      title: string,
      author: string,
      description: string,
      website: string,
      logoUrl: v.nullable(string),
      language: string,
      tags: v.array(string),
      blocked: v.optional(boolean, false), // missing in earlier backups
    }),
    feed: v.strictObject({
      etag: v.exactOptional(string),
      lastModified: v.exactOptional(string),
      intervalSeconds: integer,
      failures: integer,
      nextAt: v.exactOptional(integer),
      fetchedAt: v.exactOptional(integer),
      error: v.exactOptional(string),
      guid: v.exactOptional(string),
      apart: v.exactOptional(string),
    }),
    formerUrls: v.array(string),
  }),
  v.strictObject({
    kind: v.literal('episode'),
    episode: v.strictObject({
      url: string,
      guid: v.exactOptional(string),
      title: string,
      description: string,
      website: string,
      releasedAt: v.exactOptional(integer),
      duration: v.exactOptional(integer),
      stamp: integer,
      formerUrls: v.array(string),
    }),
  }),
  v.strictObject({ kind: v.literal('toplist'), at: integer, urls: v.array(string) }),
]);

/** A valid record, its keys in order. Throws `ValidationError` for anything else. */
export function readRecord(value: unknown): BackupRecord {
  const { success, output, issues } = v.safeParse(RECORD, value, { abortEarly: true });
  if (!success) throw new ValidationError(describe(issues[0]));
  return output;
}

/** What the types of issues expect, in words. */
const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a whole number',
  safe_integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  strict_object: 'an object',
  strict_tuple: 'a pair',
};

function describe({ type, path, expected, message }: v.BaseIssue<unknown>): string {
  const keys = path?.map(({ key }) => key) ?? [];
  const name = (to?: number): string =>
    keys
      .slice(0, to)
      .reduce<string>((where, key) => where + (typeof key === 'number' ? `[${key}]` : `.${String(key)}`), 'it');
  if (type === 'variant') return `${name(-1)} has a kind that this podsync does not know`;
  if (expected === 'never') return `${name(-1)} has a key that this podsync does not know`;
  if (type === 'strict_object' && expected !== 'Object') return `${name()} is missing`;
  return `${name()} must be ${EXPECTED[type] ?? message}`;
}

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
