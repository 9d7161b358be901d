import type { Seconds, Stamp, UserId } from '../../domain/types.ts';
import { loginKey } from './account-keys.ts';
import type { Entry, Key, Value } from '../contract.ts';
import type { Visibility } from './privacy.ts';
import type { User } from '../stores.ts';

/**
 * The head of an account. Every write of the account checks and sets it, which serializes writes across nodes. It is
 * small: devices and subscriptions are stored separately, and are read again when their revision has changed.
 */
export interface Head extends Omit<User, 'id' | 'email'> {
  email?: string | undefined;
  /** The newest stamp of the account. */
  stamp: Stamp;
  /** The newest stamp of episode actions; 0 if there are none. */
  actionStamp: Stamp;
  /** The latest time of any episode action; -1 if there are none. */
  latestActionAt: Seconds;
  /** The next free number, for devices and for places in the order of creation. */
  next: number;
  /** Only sessions of this epoch are valid: the next one ends all sessions. */
  sessionEpoch: number;
  /** Whether the account setting `sync_devices` is `true`. */
  syncDevices: boolean;
  /** Which subscriptions are public, according to the settings. */
  visibility: Visibility;
  /** Recent uploads that another upload may overlap, oldest first. */
  recentUploads: RecentUpload[];
  /** How many new feeds the account added to the directory on a day, in days since 1970. Missing before the first. */
  newFeeds?: { day: number; count: number };
  /** Number of changes of devices and of subscriptions. */
  revisions: { devices: number; subscriptions: number };
  /** Id of the last commit, to recognize a commit whose answer was lost. */
  commit: string;
}

interface RecentUpload {
  stamp: Stamp;
  at: Seconds;
  /** Number of the device that made it; undefined if that is uncertain: see `originOf`. */
  device?: number | undefined;
}

/** A head as stored. Names and arrays are short, because every write of the account stores it again. */
interface StoredHead extends Omit<
  Head,
  'actionStamp' | 'latestActionAt' | 'sessionEpoch' | 'recentUploads' | 'newFeeds'
> {
  acted: Stamp;
  latest: Seconds;
  login: number;
  uploads: [stamp: Stamp, at: Seconds, device?: number][];
  broughtFeeds?: [day: number, count: number];
}

export function parseHead({ value }: Pick<Entry, 'value'>): Head {
  const { acted, latest, login, uploads, broughtFeeds, ...head } = JSON.parse(value) as StoredHead;
  return {
    ...head,
    actionStamp: acted,
    latestActionAt: latest,
    sessionEpoch: login,
    recentUploads: uploads.map(([stamp, at, device]) => ({ stamp, at, device })),
    ...(broughtFeeds && { newFeeds: { day: broughtFeeds[0], count: broughtFeeds[1] } }),
  };
}

export function writeHead({
  actionStamp,
  latestActionAt,
  sessionEpoch,
  recentUploads,
  newFeeds,
  ...head
}: Head): Value {
  const stored: StoredHead = {
    ...head,
    acted: actionStamp,
    latest: latestActionAt,
    login: sessionEpoch,
    uploads: recentUploads.map(({ stamp, at, device }) => (device === undefined ? [stamp, at] : [stamp, at, device])),
    ...(newFeeds && { broughtFeeds: [newFeeds.day, newFeeds.count] }),
  };
  return JSON.stringify(stored);
}

/** The head of a new account. Its newest stamp is the time of creation, as stamps are based on time. */
export const newHead = (user: Omit<User, 'id'>): Head => ({
  ...user,
  stamp: user.createdAt,
  actionStamp: 0,
  latestActionAt: -1,
  next: 1,
  sessionEpoch: 1,
  syncDevices: false,
  visibility: 'all',
  recentUploads: [],
  revisions: { devices: 0, subscriptions: 0 },
  commit: '',
});

export const toUser = (id: UserId, { name, email, passwordHash, createdAt }: Head): User => ({
  id,
  name,
  ...(email !== undefined && { email }),
  passwordHash,
  createdAt,
});

/** The oldest stamp of uploads by other devices after a time. */
export const overlappedBy = (
  uploads: readonly RecentUpload[],
  device: number | undefined,
  after: Seconds,
): Stamp | undefined =>
  uploads.find((upload) => upload.at > after && (device === undefined || upload.device !== device))?.stamp;

/** Uploads are grouped by second, or by this fraction of a long overlap, which bounds their number. */
const MAX_INTERVALS = 120;

/**
 * Adds an upload and drops those beyond the overlap. Of each interval only the first upload is kept, and the first of a
 * second device: they stand for all later ones.
 */
export function withUpload(
  uploads: readonly RecentUpload[],
  { stamp, at, device }: RecentUpload,
  overlap: Seconds,
): RecentUpload[] {
  const length = Math.max(1, Math.ceil(overlap / MAX_INTERVALS));
  const intervalOf = (upload: { at: Seconds }): number => Math.floor(upload.at / length);
  const interval = intervalOf({ at });
  const recent = uploads.filter((upload) => upload.at > at - overlap);
  const same = recent.filter((upload) => intervalOf(upload) === interval);
  const isKnown = same.length > 1 || same.some((upload) => upload.device === device || upload.device === undefined);
  if (!isKnown) return [...recent, { stamp, at, device }];
  // They stand for this upload, too, so they are as recent as it is.
  return recent.map((upload) => (intervalOf(upload) === interval ? { ...upload, at } : upload));
}

export type LoginNames = Pick<Head, 'name' | 'email'>;

/** The keys by which an account is found: of its name, and of its e-mail address if that is different. */
export const loginKeys = ({ name, email }: LoginNames): Key[] => [
  ...new Set([name, email].flatMap((login) => (login === undefined ? [] : loginKey(login)))),
];

export const setLogins = (keys: readonly Key[], user: UserId): (readonly [Key, string])[] =>
  keys.map((key) => [key, JSON.stringify({ user })]);
