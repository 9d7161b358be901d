import { STATUS_CODES } from 'node:http';
import type { Seconds, Url } from '../domain/types.ts';
import { createDownloader, type Download, type ResponseHeaders } from './download.ts';
import { FetchError } from './failure.ts';
import { createGuardedAgent, isPublic, type Resolve } from './guard.ts';
import type { ParsedFeed } from './parse.ts';
import type { FeedParser } from './parser.ts';

export interface FetcherOptions {
  /** Whether addresses that are not public may be connected to. */
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
  /** A logo of up to 5 MB, whatever it turns out to be. Rejects with a FetchError. */
  fetchImage(url: Url): Promise<Uint8Array>;
  /** Ends what is under way, which then fails. */
  close(): Promise<void>;
}

const TIMEOUT: Seconds = 20;
const MAX_FEED = 20_000_000;
const MAX_IMAGE = 5_000_000;
const ACCEPT_FEED =
  'application/rss+xml, application/atom+xml, application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.5';
const ACCEPT_IMAGE = 'image/*, */*;q=0.5';
/** What is longer, or cannot be sent back, is ignored. */
const VALIDATOR = /^[\x20-\x7e]{1,1000}$/;

export function createFetcher({
  allowPrivate,
  userAgent,
  parser,
  timeout = TIMEOUT,
  ...rest
}: FetcherOptions): Fetcher {
  const agent = createGuardedAgent({
    allows: allowPrivate ? () => true : (rest.isPublic ?? isPublic),
    ...(rest.resolve && { resolve: rest.resolve }),
  });
  const downloads = createDownloader({ agent, userAgent, timeout });

  async function readFeed(asked: Url, download: Download, isConditional: boolean): Promise<FetchOutcome> {
    const { url, status, headers, bytes, movedTo } = download;
    const moved = movedTo !== undefined && { movedTo };
    if (status === 304 && isConditional) return { kind: 'unchanged', ...moved };
    // What is gone at the end of a temporary redirect says nothing of the feed itself.
    if (status === 410 && url === (movedTo ?? asked)) return { kind: 'gone' };
    if (!isSuccess(status)) throw refusedBy(download);
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
        const download = await downloads.get(url, { accept: ACCEPT_FEED, ...conditions }, MAX_FEED);
        return await readFeed(url, download, Object.keys(conditions).length > 0);
      } catch (error) {
        const { message, retryAfter } = error as FetchError;
        return { kind: 'failed', message, ...(retryAfter !== undefined && { retryAfter }) };
      }
    },
    async fetchImage(url) {
      const download = await downloads.get(url, { accept: ACCEPT_IMAGE }, MAX_IMAGE);
      if (!isSuccess(download.status)) throw refusedBy(download);
      return download.bytes;
    },
    async close() {
      await agent.destroy();
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
