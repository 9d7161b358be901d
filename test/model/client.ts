import type { Library } from './library.ts';

export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: unknown;
  /** Fields of a form of the website, which is sent instead of the body. */
  form?: Readonly<Record<string, string>>;
}

/** An app, as the requests that it sends. */
export interface Client {
  readonly name: string;
  /** Whether the password is sent with every call, or only at login and while there is no cookie. */
  readonly sendsPassword: 'always' | 'at first';
  /** `name:password`, if not the password of the account. */
  readonly auth?: string;
  /** One sync: yields each call and receives its answer. A sync that is not continued has lost its connection. */
  sync(): Generator<Call, void, any>;
}

/** A client with a library; its name is its device id. */
export interface Device extends Client {
  readonly library: Library;
}

export const loginPath = '/api/2/auth/bob/login.json';
export const episodesPath = '/api/2/episodes/bob.json';
/** Forms of the website: the player's, and those of the buttons. */
export const EPISODE_FORMS = ['progress', 'played', 'new'] as const;
export type EpisodeForm = (typeof EPISODE_FORMS)[number];
export const episodeForm = (form: EpisodeForm): string => `/episode/${form}`;
export const followingPath = '/api/2/sync-devices/bob.json';
export const changesPath = (device: string): string => `/api/2/subscriptions/bob/${device}.json`;
export const listPath = (device: string): string => `/subscriptions/bob/${device}.json`;
export const devicePath = (device: string): string => `/api/2/devices/bob/${device}.json`;

export const since = (path: string, mark: number): string => `${path}?since=${mark}`;

/** Splits a large upload. */
export const toBatches = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, batch) => items.slice(batch * size, (batch + 1) * size));
