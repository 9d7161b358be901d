import type { Library } from './library.ts';

export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: unknown;
  /** Fields of a form of the website, which is sent instead of the body. */
  form?: Readonly<Record<string, string>>;
}

/** What an app does on the wire. */
export interface Client {
  readonly name: string;
  /** Whether the password goes out with every call, or only with a login and where there is no cookie yet. */
  readonly sendsPassword: 'always' | 'at first';
  /** `name:password`, where it is not the account's own. */
  readonly auth?: string;
  /** One sync: yields each call and is given its answer. To drop it half way is to lose the connection. */
  sync(): Generator<Call, void, any>;
}

/** A client somebody listens with; its name is its device id. */
export interface Device extends Client {
  readonly library: Library;
}

export const loginPath = '/api/2/auth/bob/login.json';
export const episodesPath = '/api/2/episodes/bob.json';
export const playerPath = '/episode/progress';
export const followingPath = '/api/2/sync-devices/bob.json';
export const changesPath = (device: string): string => `/api/2/subscriptions/bob/${device}.json`;
export const listPath = (device: string): string => `/subscriptions/bob/${device}.json`;
export const devicePath = (device: string): string => `/api/2/devices/bob/${device}.json`;

export const since = (path: string, mark: number): string => `${path}?since=${mark}`;

/** Large uploads go in lots. */
export const lots = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, lot) => items.slice(lot * size, (lot + 1) * size));
