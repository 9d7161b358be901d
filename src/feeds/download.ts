import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { type Dispatcher, request } from 'undici';
import type { Seconds, Url } from '../domain/types.ts';
import { decodePercent, hasCredentials, sanitizeFeedUrl } from '../domain/url.ts';
import { FetchError, toFetchError } from './fetch-error.ts';
import { ENCODINGS, readBody, tooLarge } from './response-body.ts';
import { createHostSemaphore } from './semaphore.ts';

interface DownloaderOptions {
  userAgent: string;
  /** For a whole download: connections, redirects and bodies, but not the time that it waits in a queue. */
  timeout: Seconds;
}

/** By name. Of repeated headers the first counts, as in Node's own client. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

/** The response after all redirects. */
export interface Download {
  /** Final URL. */
  url: Url;
  status: number;
  headers: ResponseHeaders;
  /** Empty unless the status is 2xx. */
  bytes: Uint8Array;
  /** Target of the permanent redirects before the first temporary one. */
  movedTo?: Url;
}

export interface DownloadRequest {
  headers: Record<string, string>;
  /** In bytes, both before and after decompression. */
  limit: number;
  /** Opens the connections. */
  agent: Dispatcher;
}

/** Rejects with a FetchError. */
type Downloader = (url: Url, request: DownloadRequest) => Promise<Download>;

const MAX_AT_ONCE = 4;
/** Milliseconds during which a host that did not respond at all gets no further requests. */
const UNRESPONSIVE_FOR = 60_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const PERMANENT: ReadonlySet<number> = new Set([301, 308]);

/** Follows redirects. Sends at most 4 requests at a time, and 1 per host, including those to targets of redirects. */
export function createDownloader({ userAgent, timeout }: DownloaderOptions): Downloader {
  const semaphore = createHostSemaphore(MAX_AT_ONCE);
  /** Without this, all feeds of a host that is down would time out one after another, and delay others for hours. */
  const unresponsive = new LRUCache<string, true>({ max: 1000, ttl: UNRESPONSIVE_FOR });

  async function getOne(url: Url, { headers, limit, agent }: DownloadRequest, signal: AbortSignal): Promise<Download> {
    const { hostname } = new URL(url);
    if (unresponsive.has(hostname)) throw new FetchError('another feed on this server has just timed out');
    const startedAt = performance.now();
    const markUnresponsive = (): void => {
      // After a slow redirect, less than half of the time may have been left: that is not the fault of this host.
      if (performance.now() - startedAt >= (timeout * 1000) / 2) unresponsive.set(hostname, true);
    };
    signal.addEventListener('abort', markUnresponsive);
    const response = await request(url, {
      dispatcher: agent,
      signal,
      headers: {
        'user-agent': userAgent,
        'accept-encoding': ENCODINGS,
        ...authorization(new URL(url)),
        ...headers,
      },
    }).finally(() => signal.removeEventListener('abort', markUnresponsive));
    const { statusCode: status, body } = response;
    const received = firstOfEach(response.headers);
    if (status < 200 || status > 299) {
      discard(body);
      return { url, status, headers: received, bytes: new Uint8Array() };
    }
    if (Number(received['content-length']) > limit) {
      discard(body);
      throw tooLarge(limit);
    }
    const bytes = await readBody(body, received['content-encoding'] ?? '', limit);
    return { url, status, headers: received, bytes };
  }

  async function follow(url: Url, options: DownloadRequest): Promise<Download> {
    const visited = new Set<Url>();
    let at = url;
    let left = timeout * 1000;
    let movedTo: Url | undefined;
    let isPermanent = true;
    for (;;) {
      visited.add(at);
      const download = await semaphore.run(new URL(at).hostname, async () => {
        const started = performance.now();
        try {
          const signal = AbortSignal.timeout(Math.max(0, Math.floor(left)));
          return await Promise.race([getOne(at, options, signal), rejectOnAbort(signal)]);
        } finally {
          left -= performance.now() - started;
        }
      });
      const { location } = download.headers;
      if (!REDIRECTS.has(download.status) || location === undefined) {
        return { ...download, ...(movedTo !== undefined && { movedTo }) };
      }
      at = targetOf(at, location);
      if (visited.has(at)) throw new FetchError('it redirects in a loop');
      if (visited.size > MAX_REDIRECTS) throw new FetchError(`it redirects more than ${MAX_REDIRECTS} times`);
      // Credentials in a redirect are not kept, so a URL that needs them is not the new URL of the feed.
      isPermanent &&= PERMANENT.has(download.status) && (hasCredentials(url) || !hasCredentials(at));
      if (isPermanent) movedTo = at;
    }
  }

  return (url, options) =>
    follow(url, options).catch((error) => {
      throw toFetchError(error, timeout);
    });
}

const firstOfEach = (headers: IncomingHttpHeaders): ResponseHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));

/** Needed because a request that is still connecting ignores its signal. */
const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/** Does not wait for the end of the body, which may never come. */
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

/** Keeps the credentials of the feed within the same origin, as curl does; other origins never get them. */
function targetOf(from: Url, location: string): Url {
  const written = readUtf8(location);
  const target = URL.canParse(written, from) ? new URL(written, from) : undefined;
  if (target && !hasLogin(target) && target.origin === new URL(from).origin) {
    const { username, password } = new URL(from);
    Object.assign(target, { username, password });
  }
  const url = sanitizeFeedUrl(target?.href ?? '', { keepCredentials: true });
  if (url === '') throw new FetchError('it redirects to something that is not an http(s) address');
  return url;
}

/** Headers are decoded as Latin-1, but non-ASCII addresses are nearly always UTF-8, as browsers assume, too. */
function readUtf8(header: string): string {
  const text = Buffer.from(header, 'latin1').toString();
  return text.includes('\ufffd') ? header : text;
}

/** The name may be empty, as in `https://:token@host`. */
const hasLogin = ({ username, password }: URL): boolean => username !== '' || password !== '';

function authorization(url: URL): Record<string, string> {
  if (!hasLogin(url)) return {};
  const { username, password } = url;
  const pair = `${decodePercent(username)}:${decodePercent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
