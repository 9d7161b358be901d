import { hash } from 'node:crypto';
import { join } from 'node:path';
import { type H3, toNodeHandler } from 'h3';
import { expect, onTestFinished } from 'vitest';
import { type AppOptions, createApp } from '../src/app.ts';
import type { Fetcher } from '../src/feeds/fetch.ts';
import type { Options } from '../src/options.ts';
import type { Hasher } from '../src/services/accounts/hasher.ts';
import { createServices, type Services } from '../src/services/services.ts';
import { createBodyParser } from '../src/services/sync/body-parser.ts';
import { openStorage } from '../src/storage/open.ts';
import type { Storage } from '../src/storage/stores.ts';
import { makeFolder } from './folder.ts';
import { listen } from './listen.ts';
import { createTestStorage, type StorageName, type TestStorage } from './storages.ts';

/** Looks like a bcrypt hash: imports accept nothing else. */
const digest = (password: string): string => `$2b$10$${hash('sha256', password).slice(0, 53)}`;

/** Replaces bcrypt, which is too slow for most tests. */
export const quickHasher: Hasher = {
  hash: async (password) => digest(password),
  compare: async (password, known) => digest(password) === known,
  close: async () => undefined,
};

export interface TestServer {
  app: H3;
  services: Services;
  storage: Storage;
  /** Location of the storage. */
  place: TestStorage;
  /** In seconds; changes only when a test changes it. */
  clock: { now: number };
  /** Logged errors. A test that expects errors must empty this. */
  errors: string[];
  /** All logged messages. */
  logged: string[];
  /** Address of the server, if the target is a socket. */
  origin: string | undefined;
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
}

export interface RequestOptions {
  /** `name:password`. */
  auth?: string;
  cookie?: string;
  headers?: Record<string, string>;
  /** A string is sent as it is, anything else as JSON. */
  body?: unknown;
}

/** The app must respond in the same way to both. */
export const TARGETS = ['in-process', 'socket'] as const;
export type Target = (typeof TARGETS)[number];

type ServiceRules = Pick<Options, 'registration' | 'syncDevices' | 'keepUrlCredentials' | 'backups'>;

export interface TestServerOptions extends Partial<AppOptions>, Partial<ServiceRules> {
  fetcher?: Fetcher;
  hasher?: Hasher;
  /** Names of the accounts; all have the password `secret`. */
  users?: readonly string[];
  /** Storage to use instead of the one of this test run. */
  storageName?: StorageName;
  /** Share the storage and clock of this server: another node, if the storage supports several. */
  beside?: TestServer;
}

/** A server in this process on an empty storage; it is closed after the test. */
export async function openTestServer(
  {
    fetcher,
    registration = 'closed',
    syncDevices = false,
    directory = 'public',
    keepUrlCredentials = false,
    backups,
    hasher = quickHasher,
    storageName,
    beside,
    users = beside ? [] : ['bob', 'eve'],
    ...options
  }: TestServerOptions = {},
  target: Target = 'in-process',
): Promise<TestServer> {
  const dataDir = await makeFolder();
  const clock = beside?.clock ?? { now: 1_700_000_000 };
  const now = (): number => clock.now;
  const errors: string[] = [];
  const logged: string[] = [];
  const log: AppOptions['log'] = (level, message) => {
    logged.push(message);
    if (level === 'error') errors.push(message);
  };
  const place = beside?.place ?? (await createTestStorage(storageName));
  const storage = await openStorage(place.spec, dataDir, { dataDir, now, overlap: 120, log });
  const bodyParser = createBodyParser();
  const services = createServices(storage, {
    now,
    bodyParser,
    hasher,
    keepUrlCredentials,
    registration,
    syncDevices,
    directory,
    fetcher,
    logoFolder: join(dataDir, 'logos'),
    backups,
    log,
  });
  const app = createApp(services, { trustProxy: false, maxBody: 1024 * 1024, log, directory, ...options });
  for (const name of users) await services.accounts.create({ name, password: 'secret' });

  onTestFinished(async () => {
    await services.logos.stop(); // before their folder is deleted
    await bodyParser.close();
    await storage.close();
    if (!beside) await place.destroy();
    expect(errors, 'an error that reached the 500 mapper').toEqual([]);
  });
  const socket = target === 'socket' ? await listen(toNodeHandler(app)) : undefined;
  return {
    app,
    services,
    storage,
    place,
    clock,
    errors,
    logged,
    origin: socket?.origin,
    request: async (method, path, requestOptions) => {
      const request = toRequest(socket?.origin ?? 'http://localhost', method, path, requestOptions);
      return socket ? fetch(request) : app.request(request);
    },
  };
}

/** Sends a request as bob, and returns the parsed response, which must be a success. */
export async function ok({ request }: TestServer, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await request(method, path, { auth: 'bob:secret', body });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.anything()]);
  return text === '' ? '' : JSON.parse(text);
}

/** The session cookie that a response sets: empty if it ends the session, undefined if it sets none. */
export const cookieOf = ({ headers }: Response): string | undefined =>
  /sessionid=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1];

/** The cookie of a new session. */
export async function logIn({ request }: TestServer, name = 'bob'): Promise<string> {
  const answer = await request('POST', `/api/2/auth/${name}/login.json`, { auth: `${name}:secret` });
  expect(answer.status).toBe(200);
  return cookieOf(answer)!;
}

function toRequest(
  origin: string,
  method: string,
  path: string,
  { auth, cookie, headers = {}, body }: RequestOptions = {},
): Request {
  return new Request(`${origin}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(auth && { authorization: `Basic ${Buffer.from(auth).toString('base64')}` }),
      ...(cookie && { cookie: `sessionid=${cookie}` }),
      ...headers,
    },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    }),
  });
}
