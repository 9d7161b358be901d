import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'vitest';
import { openTestServer, type TestServer, type TestServerOptions } from '../../server.ts';
import { decode, signIn } from '../../site/browser.ts';

/* Apps of the Nextcloud dialect, modelled after their source code: the same requests in the same order. */

export const APPS = '/index.php/apps/gpoddersync';
export const FEED = 'https://feeds.example/a';
export const OTHER = 'https://feeds.example/b';
export const media = (episode: string): string => `https://media.example/${episode}.mp3`;

export interface Answer {
  status: number;
  /** Media type without parameters, which some apps compare. */
  type: string;
  text: string;
  json: any;
}

interface Sent {
  headers?: Record<string, string>;
  body?: string;
}

export type Send = (method: string, address: string, sent?: Sent) => Promise<Answer>;

export interface SocketServer extends TestServer {
  origin: string;
}

/** A server that listens. Bob's password is `secret`. */
export const openServer = async (options: TestServerOptions = {}): Promise<SocketServer> =>
  (await openTestServer(options, 'socket')) as SocketServer;

/**
 * Sends an app's requests with these headers and no others, except those of every connection, and a cookie if it keeps
 * any. Each goes to this server, whatever its address says.
 */
export function connect(origin: string, headers: Record<string, string>, { keepsCookies = true } = {}): Send {
  let cookie: string | undefined;
  return async (method, address, sent = {}) => {
    const { host, pathname, search } = new URL(address, origin);
    const bytes = Buffer.from(sent.body ?? '');
    const request = httpRequest(origin + pathname + search, {
      method,
      headers: {
        host,
        ...headers,
        ...sent.headers,
        ...(cookie !== undefined && { cookie }),
        ...(method === 'POST' && { 'content-length': bytes.length }),
      },
    });
    const [response] = (await once(request.end(bytes), 'response')) as [IncomingMessage];
    const [set] = response.headers['set-cookie'] ?? [];
    if (keepsCookies && set !== undefined) cookie = set.split(';', 1)[0]!;
    const text = await readText(response);
    const type = (response.headers['content-type'] ?? '').split(';', 1)[0]!;
    return {
      status: response.statusCode!,
      type,
      text,
      json: type === 'application/json' ? JSON.parse(text) : undefined,
    };
  };
}

export const basic = (name: string, password: string, charset: BufferEncoding = 'utf8'): string =>
  `Basic ${Buffer.from(`${name}:${password}`, charset).toString('base64')}`;

/** Grants access as the user does, in the browser that the app has opened. Returns the name of the app on that page. */
export async function grantAccess(server: TestServer, login: string, label: string): Promise<string> {
  const [base, query] = login.split('/authorize');
  const visitor = await signIn(server, 'bob', 'secret', base);
  const page = `${base}/authorize${query}`;
  const { html } = await visitor.get(page);
  const granted = await visitor.send(page, { label }, `${base}/authorize`);
  expect(granted.html).toContain(`${label} has access now.`);
  return decode(/The app <strong>([^<]*)<\/strong>/.exec(html)![1]!);
}

/** Another device of the account, which uses the gpodder.net dialect. */
export function openDevice({ request }: TestServer, device = 'desktop') {
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await request(method, path, { auth: 'bob:secret', body });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  return {
    change: (add: string[], remove: string[] = []) =>
      call('POST', `/api/2/subscriptions/bob/${device}.json`, { add, remove }),
    list: (): Promise<string[]> => call('GET', `/subscriptions/bob/${device}.json`),
    play: (episode: string, position: number, fields: object = {}) =>
      call('POST', '/api/2/episodes/bob.json', [
        { podcast: FEED, episode: media(episode), device, action: 'play', position, ...fields },
      ]),
    actions: async (): Promise<any[]> => (await call('GET', '/api/2/episodes/bob.json?since=0')).actions,
  };
}
