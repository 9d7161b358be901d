import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An account on a server other than podsync. Any field may violate the specification. */
export interface OtherAccount {
  devices: Record<string, unknown>[];
  subscriptions: Record<string, unknown[]>;
  /** `uploadedAt` is not returned. */
  actions: (Record<string, unknown> & { uploadedAt?: number })[];
  settings?: Record<string, Record<string, unknown>>;
  favorites?: Record<string, unknown>[];
  lists?: { name: string; title: unknown; entries: unknown[] }[];
}

/** How a server returns episode actions. */
export interface HistoryRules {
  /** Maximum number in one response. */
  cap?: number;
  /** What `since` is compared with. */
  by: 'own time' | 'upload time' | 'nothing';
  order: 'own time' | 'upload' | 'newest first';
  /** Whether actions that are exactly as old as `since` are left out. */
  isExclusive?: boolean;
  /** The timestamp of a response. */
  answers: 'now' | 'last delivered' | 'nothing';
}

export interface OtherServer {
  url: string;
  /** Paths and queries of all requests, in order. */
  requests: string[];
  /** Called before each response: throwing breaks the connection, a return value replaces the response. */
  intercept: (path: string, request: IncomingMessage) => Intercepted | undefined;
  close(): Promise<void>;
}

/** Much later than any time in a history. */
const NOW = 4_000_000_000;

export interface Intercepted {
  status: number;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
}

/** Starts a server with the account `bob`, whose password is `secret`. */
export async function startOtherServer(account: OtherAccount, rules: HistoryRules): Promise<OtherServer> {
  const other: Omit<OtherServer, 'url' | 'close'> = { requests: [], intercept: () => undefined };
  const server = createServer((request, response) => {
    other.requests.push(request.url!);
    try {
      const instead = other.intercept(request.url!, request);
      if (instead) response.writeHead(instead.status, instead.headers).end(instead.body);
      else answer(request, response, account, rules);
    } catch {
      request.socket.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(other, {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function answer(request: IncomingMessage, response: ServerResponse, account: OtherAccount, rules: HistoryRules): void {
  if (request.headers.authorization !== `Basic ${btoa('bob:secret')}`) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    return;
  }
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const value = find(decodeURIComponent(pathname), searchParams, account, rules);
  if (value === undefined) response.writeHead(404).end('<h1>Not found</h1>');
  else response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(value));
}

function find(path: string, query: URLSearchParams, account: OtherAccount, rules: HistoryRules): unknown {
  const [, device] = /^\/subscriptions\/bob\/(.*)\.json$/.exec(path) ?? [];
  if (device !== undefined) return account.subscriptions[device];
  const [, scope] = /^\/api\/2\/settings\/bob\/(.*)\.json$/.exec(path) ?? [];
  if (scope !== undefined) return account.settings?.[[scope, ...[...query].map(([, value]) => value)].join(' ')];
  const [, list] = /^\/api\/2\/lists\/bob\/list\/(.*)\.json$/.exec(path) ?? [];
  if (list !== undefined) return account.lists?.find(({ name }) => name === list)?.entries;
  switch (path) {
    case '/api/2/devices/bob.json':
      return account.devices;
    case '/subscriptions/bob.json':
      return Object.values(account.subscriptions).flat();
    case '/api/2/episodes/bob.json':
      return findActions(query, account.actions, rules);
    case '/api/2/favorites/bob.json':
      return account.favorites;
    case '/api/2/lists/bob.json':
      return account.lists?.map(({ name, title }) => ({ name, title, web: 'x' }));
    default:
      return undefined;
  }
}

function findActions(query: URLSearchParams, all: OtherAccount['actions'], rules: HistoryRules): unknown {
  const since = Number(query.get('since') ?? 0);
  const podcast = query.get('podcast');
  const timeOf = (action: OtherAccount['actions'][number]): number =>
    rules.by === 'own time' ? ownTime(action) : (action.uploadedAt ?? 0);
  const isAsked = (action: OtherAccount['actions'][number]): boolean =>
    (podcast === null || action.podcast === podcast) &&
    (rules.by === 'nothing' || timeOf(action) > since || (!rules.isExclusive && timeOf(action) === since));
  const found = all.filter(isAsked);
  if (rules.order === 'own time') found.sort((a, b) => ownTime(a) - ownTime(b));
  if (rules.order !== 'own time') found.sort((a, b) => (a.uploadedAt ?? 0) - (b.uploadedAt ?? 0));
  if (rules.order === 'newest first') found.reverse();
  const page = found.slice(0, rules.cap);
  const last = page.at(-1);
  const actions = page.map(({ uploadedAt: _uploadedAt, ...action }) => action);
  if (rules.answers === 'nothing') return { actions };
  return { actions, timestamp: rules.answers === 'last delivered' && last ? timeOf(last) : NOW };
}

const ownTime = ({ timestamp }: Record<string, unknown>): number =>
  typeof timestamp === 'string' ? Date.parse(`${timestamp.slice(0, 19)}Z`) / 1000 || 0 : 0;
