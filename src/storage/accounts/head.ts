import type { Seconds, Stamp, UserId } from '../../domain/types.ts';
import type { User } from '../stores.ts';
import type { Visibility } from './privacy.ts';

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
  /** By how much the time of any episode action is later than its stamp, at most: 0 if all clients' clocks are right. */
  actionLead: Seconds;
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

/** `device`: number of the device that made it; undefined if that is uncertain, see `originOf`. */
type RecentUpload = [stamp: Stamp, at: Seconds, device?: number | undefined];

/** The head of a new account. Its newest stamp is the time of creation, as stamps are based on time. */
export const newHead = (user: Omit<User, 'id'>): Head => ({
  ...user,
  stamp: user.createdAt,
  actionStamp: 0,
  latestActionAt: -1,
  actionLead: 0,
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
  uploads.find(([, at, uploader]) => at > after && (device === undefined || uploader !== device))?.[0];

const toUpload = (first: Stamp, at: Seconds, device?: number): RecentUpload =>
  device === undefined ? [first, at] : [first, at, device];

/** Uploads are grouped by second, or by this fraction of a long overlap, which bounds their number. */
const MAX_INTERVALS = 120;

/**
 * Adds an upload and drops those beyond the overlap. Of each interval only the first upload is kept, and the first of a
 * second device: they stand for all later ones. A time that a wrong clock put far ahead is corrected, or the upload would
 * count as recent for years.
 */
export function withUpload(
  uploads: readonly RecentUpload[],
  [stamp, now, device]: RecentUpload,
  overlap: Seconds,
): RecentUpload[] {
  const length = Math.ceil(overlap / MAX_INTERVALS);
  const isSame = ([, at]: RecentUpload): boolean => Math.floor(at / length) === Math.floor(now / length);
  const latest = now + overlap;
  const recent = uploads
    .filter(([, at]) => at > now - overlap)
    .map((upload) => (upload[1] > latest ? toUpload(upload[0], latest, upload[2]) : upload));
  const uploaders = new Set(recent.filter(isSame).map(([, , uploader]) => uploader));
  const isKnown = uploaders.size > 1 || uploaders.has(device);
  if (!isKnown) return [...recent, toUpload(stamp, now, device)];
  // They stand for this upload, too, so they are as recent as it is.
  return recent.map((upload) => (isSame(upload) ? toUpload(upload[0], now, upload[2]) : upload));
}
