import { STATUS_CODES } from 'node:http';
import { isIP } from 'node:net';
import type { Seconds, Url } from '../domain/types.ts';
import { createDownloader, type Download, type DownloadRequest, type ResponseHeaders } from './download.ts';
import { FetchError, NotPublicError } from './failure.ts';
import { createGuardedAgent, isPublic, type Resolve, resolveName, unbracket } from './guard.ts';
import type { ParsedFeed } from './parse.ts';
import type { FeedParser } from './parser.ts';

export interface FetcherOptions {
  /** Whether addresses that are not public may be connected to, for a feed that is at such an address itself. */
  allowPrivate: boolean;
  /** `podsync/VERSION`. */
  userAgent: string;
  /** Closed with the fetcher. */
  parser: FeedParser;
  /** Replaceable in tests: how names are looked up, which addresses are public, how long one fetch may take. */
  resolve?: Resolve;
  isPublic?(address: string): boolean;
  timeout?: Seconds;
}

/** As the server gave them with the last content. */
export interface Validators {
  etag?: string;
  lastModified?: string;
}

export type FetchOutcome =
  /** `movedTo`: where permanent redirects led to, before any that was not permanent. */
  | ({ kind: 'fetched'; feed: ParsedFeed; movedTo?: Url } & Validators)
  | { kind: 'unchanged'; movedTo?: Url }
  /** Never to be asked for again. */
  | { kind: 'gone' }
  /** `message` is a sentence; `retryAfter` a number of seconds, where the server asked for it. */
  | { kind: 'failed'; message: string; retryAfter?: Seconds };

export interface Fetcher {
  /** Fetches and parses a feed, if it changed since. Never rejects. */
  fetchFeed(url: Url, validators: Validators): Promise<FetchOutcome>;
  /**
   * A logo of up to 5 MB, whatever it turns out to be. `feeds` are those whose logo it is; they are asked for only where
   * it is at an address that is not public. Rejects with a FetchError.
   */
  fetchImage(url: Url, feeds: () => AsyncIterable<Url>): Promise<Uint8Array>;
  /** Ends what is under way, which then fails. */
  close(): Promise<void>;
}

const TIMEOUT: Seconds = 20;
const MAX_FEED = 20_000_000;
const MAX_IMAGE = 5_000_000;
const ACCEPT_FEED =
  'application/rss+xml, application/atom+xml, application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5';
const LEADS_INSIDE =
  'it leads to an address that is not public, which --allow-private-feeds allows only to a feed at such an address';
const ACCEPT_IMAGE = 'image/*, */*;q=0.5';
/** What is longer, or cannot be sent back, is ignored. */
const VALIDATOR = /^[\x20-\x7e]{1,1000}$/;

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
  const downloads = createDownloader({ userAgent, timeout });

  const isPrivate = async (feed: Url): Promise<boolean> => {
    const host = unbracket(new URL(feed).hostname);
    const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
    return !addresses.every(allows);
  };

  /** What is not public is connected to, by a redirect too, only for a feed that is not public itself. */
  async function download(
    url: Url,
    request: Omit<DownloadRequest, 'agent'>,
    feeds: () => AsyncIterable<Url>,
  ): Promise<Download> {
    try {
      return await downloads.get(url, { ...request, agent: publicAgent });
    } catch (error) {
      if (!allowPrivate || !(error instanceof NotPublicError)) throw error;
    }
    for await (const feed of feeds()) {
      if (await isPrivate(feed)) return downloads.get(url, { ...request, agent: anyAgent });
    }
    throw new FetchError(LEADS_INSIDE);
  }

  async function readFeed(asked: Url, answer: Download, isConditional: boolean): Promise<FetchOutcome> {
    const { url, status, headers, bytes, movedTo } = answer;
    const moved = movedTo !== undefined && { movedTo };
    if (status === 304 && isConditional) return { kind: 'unchanged', ...moved };
    // What is gone at the end of a temporary redirect says nothing of the feed itself.
    if (status === 410 && url === (movedTo ?? asked)) return { kind: 'gone' };
    if (!isSuccess(status)) throw refusedBy(answer);
    const { isCut, ...feed } = await parser.parse(bytes, headers['content-type'], url);
    // Of what was cut off the rest is asked for: not whether that has changed.
    return { kind: 'fetched', feed, ...(!isCut && validatorsOf(headers)), ...moved };
  }

  return {
    async fetchFeed(url, { etag, lastModified }) {
      const conditions = {
        ...(etag !== undefined && { 'if-none-match': etag }),
        ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
      };
      try {
        const request = { headers: { accept: ACCEPT_FEED, ...conditions }, limit: MAX_FEED };
        const answer = await download(url, request, async function* () {
          yield url;
        });
        return await readFeed(url, answer, Object.keys(conditions).length > 0);
      } catch (error) {
        const { message, retryAfter } = error as FetchError;
        return { kind: 'failed', message, ...(retryAfter !== undefined && { retryAfter }) };
      }
    },
    async fetchImage(url, feeds) {
      const answer = await download(url, { headers: { accept: ACCEPT_IMAGE }, limit: MAX_IMAGE }, feeds);
      if (!isSuccess(answer.status)) throw refusedBy(answer);
      return answer.bytes;
    },
    async close() {
      await Promise.all([publicAgent.destroy(), anyAgent.destroy()]);
      await parser.close();
    },
  };
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function refusedBy({ status, headers }: Download): FetchError {
  const meaning = STATUS_CODES[status];
  return new FetchError(`the server answered ${status}${meaning ? ` (${meaning})` : ''}`, retryAfterOf(headers));
}

/** Seconds, or a time by the server's own clock. */
function retryAfterOf({ 'retry-after': value = '', date = '' }: ResponseHeaders): Seconds | undefined {
  if (/^\d{1,9}$/.test(value.trim())) return Number(value);
  const wait = Date.parse(value) - (Date.parse(date) || Date.now());
  return wait > 0 ? Math.ceil(wait / 1000) : undefined;
}

function validatorsOf({ etag = '', 'last-modified': lastModified = '' }: ResponseHeaders): Validators {
  return {
    ...(VALIDATOR.test(etag) && { etag }),
    ...(VALIDATOR.test(lastModified) && { lastModified }),
  };
}
