import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createFetcher, type Fetcher, type FetcherOptions } from '../../src/feeds/fetch.ts';
import { parseFeed } from '../../src/feeds/parse.ts';
import { listen } from '../listen.ts';
import { rss } from './samples/sample.ts';

export interface FeedServer {
  origin: string;
  port: number;
  /** Requests in order. */
  requests: IncomingMessage[];
  /** Number of connections, with or without requests. */
  connections: number;
}

/** A web server on 127.0.0.1 or the given address; it is closed after the test. */
export async function startFeedServer(answer: RequestListener, address = '127.0.0.1'): Promise<FeedServer> {
  const requests: IncomingMessage[] = [];
  const { server, port, origin } = await listen((request, response) => {
    requests.push(request);
    answer(request, response);
  }, address);
  const feeds: FeedServer = { origin, port, requests, connections: 0 };
  server.on('connection', () => feeds.connections++);
  return feeds;
}

/** Responds by path; 404 for all other paths. */
export const byPath =
  (routes: Record<string, (response: ServerResponse, request: IncomingMessage) => void>): RequestListener =>
  (request, response) => {
    const route = routes[request.url!];
    if (route) route(response, request);
    else response.writeHead(404).end('not here');
  };

/** A fetcher that parses without a worker thread; it is closed after the test. */
export function startFetcher(options: Partial<FetcherOptions> = {}): Fetcher {
  const fetcher = createFetcher({
    allowPrivate: true,
    userAgent: 'podsync/0.1.0',
    parser: { parse: async (...feed) => parseFeed(...feed), close: async () => undefined },
    ...options,
  });
  onTestFinished(() => fetcher.close());
  return fetcher;
}

/** A feed with the title `Fetched`. */
export const FEED = rss('<title>Fetched</title>');
/** Responds with 200. */
export const send =
  (headers: Record<string, string>, body: string | Buffer = FEED) =>
  (response: ServerResponse): void =>
    void response.writeHead(200, headers).end(body);
/** Responds with a redirect. */
export const redirect =
  (status: number, location: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { location }).end('moved');
