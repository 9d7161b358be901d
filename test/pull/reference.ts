import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An account as a server that is not podsync keeps it. Any field may be what no specification allows. */
export interface Stock {
  devices: Record<string, unknown>[];
  subscriptions: Record<string, unknown[]>;
  /** `uploadedAt` is not told. */
  actions: (Record<string, unknown> & { uploadedAt?: number })[];
  settings?: Record<string, Record<string, unknown>>;
  favorites?: Record<string, unknown>[];
  lists?: { name: string; title: unknown; entries: unknown[] }[];
}

/** How a server goes about episode actions. */
export interface Manner {
  /** The most in one answer. */
  cap?: number;
  /** What `since` is compared with. */
  by: 'own time' | 'upload time' | 'nothing';
  order: 'own time' | 'upload' | 'newest first';
  /** Whether what is exactly as old as `since` is left out. */
  isExclusive?: boolean;
  /** The timestamp of an answer. */
  answers: 'now' | 'last delivered' | 'nothing';
}

export interface OtherServer {
  url: string;
  /** Paths with their queries, in the order asked. */
  asked: string[];
  /** Called before each answer; what it throws breaks the connection, what it returns is another answer. */
  interfere: (path: string, request: IncomingMessage) => Interference | undefined;
  close(): Promise<void>;
}

/** Far from any time that is in a history. */
const NOW = 4_000_000_000;

export interface Interference {
  status: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** A server over a socket with the account `bob`, whose password is `secret`. */
export async function startOther(stock: Stock, manner: Manner): Promise<OtherServer> {
  const other: Omit<OtherServer, 'url' | 'close'> = { asked: [], interfere: () => undefined };
  const server = createServer((request, response) => {
    other.asked.push(request.url!);
    try {
      const instead = other.interfere(request.url!, request);
      if (instead) response.writeHead(instead.status, instead.headers).end(instead.body);
      else answer(request, response, stock, manner);
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

function answer(request: IncomingMessage, response: ServerResponse, stock: Stock, manner: Manner): void {
  if (request.headers.authorization !== `Basic ${btoa('bob:secret')}`) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    return;
  }
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const value = find(decodeURIComponent(pathname), searchParams, stock, manner);
  if (value === undefined) response.writeHead(404).end('<h1>Not found</h1>');
  else response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(value));
}

function find(path: string, query: URLSearchParams, stock: Stock, manner: Manner): unknown {
  const [, device] = /^\/subscriptions\/bob\/(.*)\.json$/.exec(path) ?? [];
  if (device !== undefined) return stock.subscriptions[device];
  const [, scope] = /^\/api\/2\/settings\/bob\/(.*)\.json$/.exec(path) ?? [];
  if (scope !== undefined) return stock.settings?.[[scope, ...[...query].map(([, value]) => value)].join(' ')];
  const [, list] = /^\/api\/2\/lists\/bob\/list\/(.*)\.json$/.exec(path) ?? [];
  if (list !== undefined) return stock.lists?.find(({ name }) => name === list)?.entries;
  switch (path) {
    case '/api/2/devices/bob.json':
      return stock.devices;
    case '/subscriptions/bob.json':
      return Object.values(stock.subscriptions).flat();
    case '/api/2/episodes/bob.json':
      return findActions(query, stock.actions, manner);
    case '/api/2/favorites/bob.json':
      return stock.favorites;
    case '/api/2/lists/bob.json':
      return stock.lists?.map(({ name, title }) => ({ name, title, web: 'x' }));
    default:
      return undefined;
  }
}

function findActions(query: URLSearchParams, all: Stock['actions'], manner: Manner): unknown {
  const since = Number(query.get('since') ?? 0);
  const podcast = query.get('podcast');
  const timeOf = (action: Stock['actions'][number]): number =>
    manner.by === 'own time' ? ownTime(action) : (action.uploadedAt ?? 0);
  const isAsked = (action: Stock['actions'][number]): boolean =>
    (podcast === null || action.podcast === podcast) &&
    (manner.by === 'nothing' || timeOf(action) > since || (!manner.isExclusive && timeOf(action) === since));
  const found = all.filter(isAsked);
  if (manner.order === 'own time') found.sort((a, b) => ownTime(a) - ownTime(b));
  if (manner.order !== 'own time') found.sort((a, b) => (a.uploadedAt ?? 0) - (b.uploadedAt ?? 0));
  if (manner.order === 'newest first') found.reverse();
  const page = found.slice(0, manner.cap);
  const last = page.at(-1);
  const actions = page.map(({ uploadedAt: _uploadedAt, ...action }) => action);
  if (manner.answers === 'nothing') return { actions };
  return { actions, timestamp: manner.answers === 'last delivered' && last ? timeOf(last) : NOW };
}

const ownTime = ({ timestamp }: Record<string, unknown>): number =>
  typeof timestamp === 'string' ? Date.parse(`${timestamp.slice(0, 19)}Z`) / 1000 || 0 : 0;
