import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { type Dispatcher, request } from 'undici';
import type { Seconds, Url } from '../domain/types.ts';
import { hasCredentials, sanitizeFeedUrl } from '../domain/url.ts';
import { ENCODINGS, readBody, tooLarge } from './body.ts';
import { FetchError, toFetchError } from './failure.ts';
import { createSlots } from './slots.ts';

interface DownloaderOptions {
  userAgent: string;
  /** For one download in all: connections, redirects and bodies, without the waiting for its turn. */
  timeout: Seconds;
}

/** By name; of one that was sent more than once the first counts, as in Node's own client. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

/** The answer at the end of all redirects. */
export interface Download {
  /** Where that was. */
  url: Url;
  status: number;
  headers: ResponseHeaders;
  /** Empty unless the status is 2xx. */
  bytes: Uint8Array;
  /** Where the permanent redirects led to, up to the first that was not permanent. */
  movedTo?: Url;
}

export interface DownloadRequest {
  headers: Record<string, string>;
  /** In bytes, on the wire and after inflation. */
  limit: number;
  /** Makes the connections. */
  agent: Dispatcher;
}

interface Downloader {
  /** Rejects with a FetchError. */
  get(url: Url, request: DownloadRequest): Promise<Download>;
}

const MAX_AT_ONCE = 4;
/** For how long a host that did not answer at all is not asked again. Milliseconds. */
const SILENT_FOR = 60_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const PERMANENT: ReadonlySet<number> = new Set([301, 308]);

/** Follows redirects, at most 4 downloads at a time and 1 per host; the targets of redirects count like any other. */
export function createDownloader({ userAgent, timeout }: DownloaderOptions): Downloader {
  const slots = createSlots(MAX_AT_ONCE);
  /** With all feeds of one that is down waited for in turn, nobody else's would be read for hours. */
  const silent = new LRUCache<string, true>({ max: 1000, ttl: SILENT_FOR });

  async function getOne(url: Url, { headers, limit, agent }: DownloadRequest, signal: AbortSignal): Promise<Download> {
    const { hostname } = new URL(url);
    if (silent.has(hostname)) throw new FetchError('the server did not answer when another feed of it was asked for');
    const noAnswer = (): void => void silent.set(hostname, true);
    signal.addEventListener('abort', noAnswer);
    const answer = await request(url, {
      dispatcher: agent,
      signal,
      headers: {
        'user-agent': userAgent,
        'accept-encoding': ENCODINGS,
        ...authorization(new URL(url)),
        ...headers,
      },
    }).finally(() => signal.removeEventListener('abort', noAnswer));
    const { statusCode: status, body } = answer;
    const received = firstOfEach(answer.headers);
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

  async function follow(url: Url, asked: DownloadRequest): Promise<Download> {
    const visited = new Set<Url>();
    let at = url;
    let left = timeout * 1000;
    let movedTo: Url | undefined;
    let isPermanent = true;
    for (;;) {
      visited.add(at);
      const download = await slots.run(new URL(at).hostname, async () => {
        const started = performance.now();
        try {
          const signal = AbortSignal.timeout(Math.max(0, Math.floor(left)));
          return await Promise.race([getOne(at, asked, signal), rejectOnAbort(signal)]);
        } finally {
          left -= performance.now() - started;
        }
      });
      const { location } = download.headers;
      if (!REDIRECTS.has(download.status) || location === undefined) {
        return { ...download, ...(movedTo !== undefined && { movedTo }) };
      }
      at = targetOf(at, location);
      if (visited.has(at)) throw new FetchError('it redirects in a circle');
      if (visited.size > MAX_REDIRECTS) throw new FetchError(`it redirects more than ${MAX_REDIRECTS} times`);
      // The credentials in a redirect are not kept: an address that needs them is not where the feed has moved to.
      isPermanent &&= PERMANENT.has(download.status) && (hasCredentials(url) || !hasCredentials(at));
      if (isPermanent) movedTo = at;
    }
  }

  return {
    get: (url, asked) =>
      follow(url, asked).catch((error) => {
        throw toFetchError(error, timeout);
      }),
  };
}

const firstOfEach = (headers: IncomingHttpHeaders): ResponseHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));

/** A request that is still connecting does not heed its signal. */
const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/** Without waiting for its end, which may never come. */
function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

/** Within one origin the credentials of the feed go along, as curl has it; anywhere else nothing does. */
function targetOf(from: Url, location: string): Url {
  const written = readUtf8(location);
  const target = URL.canParse(written, from) ? new URL(written, from) : undefined;
  if (target && target.username === '' && target.origin === new URL(from).origin) {
    const { username, password } = new URL(from);
    Object.assign(target, { username, password });
  }
  const url = sanitizeFeedUrl(target?.href ?? '', { keepCredentials: true });
  if (url === '') throw new FetchError('it redirects to something that is not an http(s) address');
  return url;
}

/** Headers are read as Latin-1. What is beyond ASCII in an address is UTF-8 nearly always, as browsers take it. */
function readUtf8(header: string): string {
  const text = Buffer.from(header, 'latin1').toString();
  return text.includes('\ufffd') ? header : text;
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${unescapePercent(username)}:${unescapePercent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function unescapePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
