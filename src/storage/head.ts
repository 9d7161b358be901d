import type { Seconds, Stamp, UserId } from '../domain/types.ts';
import { loginKey } from './account-keys.ts';
import type { Key } from './contract.ts';
import type { Visibility } from './privacy.ts';
import type { User } from './stores.ts';

/**
 * What every write of an account checks and sets, so that its writes are in line on any number of nodes. It is small:
 * the rest lies beside it, and is read again where its revision has changed.
 */
export interface Head extends Omit<User, 'id' | 'email'> {
  email?: string | undefined;
  /** The newest stamp. */
  stamp: Stamp;
  /** The newest stamp of episode actions; 0 without any. */
  acted: Stamp;
  /** The latest time at which any of the actions happened; -1 without any. */
  latest: Seconds;
  /** The next free number: of a device, of a place in the order first added or created. */
  next: number;
  /** Only sessions of this number are valid: a higher one ends all. */
  login: number;
  /** The account setting of this name is `true`. */
  syncDevices: boolean;
  /** Which subscriptions the settings make public. */
  visibility: Visibility;
  /** Uploads that another may still overlap, oldest first. */
  uploads: Upload[];
  /** A day, counted from 1970, and how many feeds it brought into the directory on it; not there before the first. */
  broughtFeeds?: [day: number, count: number];
  /** Counts the changes of what lies beside it. */
  revisions: { devices: number; subscriptions: number };
  /** Of the last commit: finds one whose answer was lost. */
  commit: string;
}

/** Stamp and time of an upload, and the number of the device that sent it, where that is sure. */
export type Upload = [stamp: Stamp, at: Seconds, device?: number];

/** A new account. Its newest stamp is the time it was made, so that a stamp always reads like a time. */
export const newHead = (user: Omit<User, 'id'>): Head => ({
  ...user,
  stamp: user.createdAt,
  acted: 0,
  latest: -1,
  next: 1,
  login: 1,
  syncDevices: false,
  visibility: 'all',
  uploads: [],
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

/** The oldest stamp that another device's upload got after this time. */
export const overlappedBy = (
  uploads: readonly Upload[],
  device: number | undefined,
  after: Seconds,
): Stamp | undefined =>
  uploads.find(([, at, sender]) => at > after && (device === undefined || sender !== device))?.[0];

/** Uploads are told apart by the second, or by this part of a long overlap: so few are kept however many come. */
const PARTS = 120;

/**
 * The uploads with one more, without those that are over. Of one second the first is enough, and the first of another
 * device: every later one is found through them.
 */
export function withUpload(uploads: readonly Upload[], [stamp, now, device]: Upload, overlap: Seconds): Upload[] {
  const part = Math.max(1, Math.ceil(overlap / PARTS));
  const isSame = ([, at]: Upload): boolean => Math.floor(at / part) === Math.floor(now / part);
  const recent = uploads.filter(([, at]) => at > now - overlap);
  const same = recent.filter(isSame);
  const isFound = same.length > 1 || same.some(([, , sender]) => sender === device || sender === undefined);
  const toUpload = (first: Stamp, sender?: number): Upload =>
    sender === undefined ? [first, now] : [first, now, sender];
  if (!isFound) return [...recent, toUpload(stamp, device)];
  return recent.map((upload) => (isSame(upload) ? toUpload(upload[0], upload[2]) : upload));
}

export type Login = Pick<Head, 'name' | 'email'>;

/** Under which an account is found: by name, and by e-mail address where it has one that is not its name. */
export const loginKeys = ({ name, email }: Login): Key[] => [
  ...new Set([name, email].flatMap((login) => (login === undefined ? [] : loginKey(login)))),
];

export const setLogins = (keys: readonly Key[], user: UserId): (readonly [Key, string])[] =>
  keys.map((key) => [key, JSON.stringify({ user })]);
