import { STATUS_CODES } from 'node:http';
import { isIP } from 'node:net';
import type { Seconds, Url } from '../domain/types.ts';
import { isValidator } from '../domain/validator.ts';
import { createDownloader, type Download, type DownloadRequest, type ResponseHeaders } from './download.ts';
import { FetchError, NotPublicError } from './fetch-error.ts';
import type { ParsedFeed } from './parse.ts';
import type { FeedParser } from './parser.ts';
import { createGuardedAgent, isPublic, type Resolve, resolveName, unbracket } from './ssrf-guard.ts';

export interface FetcherOptions {
  /** Whether private addresses are allowed, for feeds that are at such an address themselves. */
  allowPrivate: boolean;
  /** `podsync/VERSION`. */
  userAgent: string;
  /** Closed with the fetcher. */
  parser: FeedParser;
  /** Replaceable in tests: name resolution, which addresses are public, and the time limit for a fetch. */
  resolve?: Resolve;
  isPublic?(address: string): boolean;
  timeout?: Seconds;
}

/** The cache validators that the server sent with the last content. */
interface Validators {
  etag?: string;
  lastModified?: string;
}

export type FetchOutcome =
  /** `movedTo`: target of the permanent redirects before the first temporary one. */
  | ({ kind: 'fetched'; feed: ParsedFeed; movedTo?: Url } & Validators)
  | { kind: 'unchanged'; movedTo?: Url }
  /** Deleted for good: never fetch it again. */
  | { kind: 'gone' }
  /** `message` is a sentence; `retryAfter` is set if the server asked for it. */
  | { kind: 'failed'; message: string; retryAfter?: Seconds };

export interface Fetcher {
  /** Fetches a feed and parses it if it has changed. `from`: the feed that announces this URL. Never rejects. */
  fetchFeed(url: Url, validators: Validators, from?: Url): Promise<FetchOutcome>;
  /** Fetches a logo of up to 5 MB, in any format; `feeds` have this logo. Rejects with a FetchError. */
  fetchImage(url: Url, feeds: readonly Url[]): Promise<Uint8Array>;
  /** Aborts pending fetches. */
  close(): Promise<void>;
}

const TIMEOUT: Seconds = 20;
const MAX_FEED = 20_000_000;
const MAX_IMAGE = 5_000_000;
const ACCEPT_FEED =
  'application/rss+xml, application/atom+xml, application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5';
const PRIVATE_TARGET =
  'it leads to a private address, which --allow-private-feeds allows only for a feed that is at a private address itself';
const ACCEPT_IMAGE = 'image/*, */*;q=0.5';

export function createFetcher({
  allowPrivate,
  userAgent,
  parser,
  timeout = TIMEOUT,
  resolve = resolveName,
  isPublic: allows = isPublic,
}: FetcherOptions): Fetcher {
  const publicAgent = createGuardedAgent({ allows, resolve });
  const anyAgent = createGuardedAgent({ allows: () => true, resolve });
  const get = createDownloader({ userAgent, timeout });

  const isPrivate = async (feed: Url): Promise<boolean> => {
    const host = unbracket(new URL(feed).hostname);
    const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
    return !addresses.every(allows);
  };

  /** Connects to private addresses, also after redirects, only for a feed that is at a private address itself. */
  async function download(url: Url, request: Omit<DownloadRequest, 'agent'>, feeds: readonly Url[]): Promise<Download> {
    try {
      return await get(url, { ...request, agent: publicAgent });
    } catch (error) {
      if (!allowPrivate || !(error instanceof NotPublicError)) throw error;
    }
    for (const feed of feeds) {
      if (await isPrivate(feed)) return get(url, { ...request, agent: anyAgent });
    }
    throw new FetchError(PRIVATE_TARGET);
  }

  async function readFeed(requested: Url, response: Download, isConditional: boolean): Promise<FetchOutcome> {
    const { url, status, headers, bytes, movedTo } = response;
    const moved = movedTo !== undefined && { movedTo };
    if (status === 304 && isConditional) return { kind: 'unchanged', ...moved };
    // After a temporary redirect, 410 does not mean that the feed itself is gone.
    if (status === 410 && url === (movedTo ?? requested)) return { kind: 'gone' };
    if (!isSuccess(status)) throw toStatusError(response);
    const { isTruncated, ...feed } = await parser.parse(bytes, headers['content-type'], url);
    // Without validators, a truncated feed is fetched again as a whole.
    return { kind: 'fetched', feed, ...(!isTruncated && validatorsOf(headers)), ...moved };
  }

  return {
    async fetchFeed(url, { etag, lastModified }, from = url) {
      const conditions = {
        ...(etag !== undefined && { 'if-none-match': etag }),
        ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
      };
      try {
        const request = { headers: { accept: ACCEPT_FEED, ...conditions }, limit: MAX_FEED };
        const response = await download(url, request, [from]);
        return await readFeed(url, response, Object.keys(conditions).length > 0);
      } catch (error) {
        const { message, retryAfter } = error as FetchError;
        return { kind: 'failed', message, ...(retryAfter !== undefined && { retryAfter }) };
      }
    },
    async fetchImage(url, feeds) {
      const response = await download(url, { headers: { accept: ACCEPT_IMAGE }, limit: MAX_IMAGE }, feeds);
      if (!isSuccess(response.status)) throw toStatusError(response);
      return response.bytes;
    },
    async close() {
      await Promise.all([publicAgent.destroy(), anyAgent.destroy()]);
      await parser.close();
    },
  };
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function toStatusError({ status, headers }: Download): FetchError {
  const meaning = STATUS_CODES[status];
  return new FetchError(`the server answered ${status}${meaning ? ` (${meaning})` : ''}`, retryAfterOf(headers));
}

/** The header is a number of seconds, or a time according to the server's clock. */
function retryAfterOf({ 'retry-after': value = '', date = '' }: ResponseHeaders): Seconds | undefined {
  if (/^\d{1,9}$/.test(value.trim())) return Number(value);
  const wait = Date.parse(value) - (Date.parse(date) || Date.now());
  return wait > 0 ? Math.ceil(wait / 1000) : undefined;
}

/** Those that cannot be sent back are ignored. */
function validatorsOf({ etag = '', 'last-modified': lastModified = '' }: ResponseHeaders): Validators {
  return {
    ...(isValidator(etag) && { etag }),
    ...(isValidator(lastModified) && { lastModified }),
  };
}
