import { hash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { H3Event } from 'h3';
import { FastResponse } from 'srvx';
import type { Seconds } from '../domain/types.ts';
import { MEDIA_TYPES } from '../formats/format.ts';
import { drainBody } from './drain-body.ts';

/** What a handler returns; `send` turns it into a response. */
export interface Reply {
  /** 200 unless given. */
  status?: number;
  /** Media type of the body. */
  type?: string;
  /** Bytes are sent unchanged; a stream is sent in chunks, unless all of it is short. */
  body?: string | Uint8Array | AsyncIterable<string>;
  headers?: Readonly<Record<string, string>>;
  /** The same for everybody: shared caches may keep it, and revalidate it each time, unless it has a `maxAge`. */
  isPublic?: boolean;
  /** How long a cache may use it without revalidating it. If it is not public, only the cache of the browser may. */
  maxAge?: Seconds;
  /** For an error response: what was wrong, in one sentence. */
  error?: string;
  /** Sends even a short stream in chunks. */
  isLive?: boolean;
}

/** The `maxAge` of what never changes at its address. */
export const FOR_EVER: Seconds = 365 * 86_400;

/** Success without content: clients recognize it by the empty body. */
export const EMPTY: Reply = {};

/** A value as JSON. */
export const json = (value: unknown): Reply => ({ type: MEDIA_TYPES.json, body: JSON.stringify(value) });

/** Marks a response as the same for everybody. */
export const toPublic = (reply: Reply): Reply => ({ ...reply, isPublic: true });

/** JSON that is generated while it is sent. */
export const jsonStream = (body: AsyncIterable<string>): Reply => ({ type: MEDIA_TYPES.json, body });

type Header = [name: string, value: string];

/** For every response: any web page may read the public interface, but never with a user's credentials. */
export const COMMON_HEADERS: readonly Header[] = [
  ['access-control-allow-origin', '*'],
  ['x-content-type-options', 'nosniff'],
];
/** A stream up to this length is sent as one text, which is faster. Characters. */
const MAX_BUFFERED = 65_536;
/** The same for a public response, which then has an `ETag`. A longer one is never buffered. Characters. */
const MAX_TAGGED = 512 * 1024;
/** Up to this length, compression costs more than it saves. Bytes. */
const MAX_UNCOMPRESSED = 1024;

type Coding = 'br' | 'gzip';

type Body = string | Uint8Array | NodeJS.ReadableStream;

// h3 would build the same response from a returned value, but would copy all headers once more.
function respond(body: Body, status: number, headers: Header[]): Response {
  const sent = status === 204 || status === 304 ? null : body;
  const statusText = STATUS_CODES[status] ?? ''; // all that AntennaPod, Kasts and Rhythmbox show of most errors
  return new FastResponse(sent as ConstructorParameters<typeof Response>[0], { status, statusText, headers });
}

interface SendOptions {
  /** The complete value of `Set-Cookie`. */
  cookie?: string | undefined;
  /** Receives the error of a stream that failed after a part of it was sent: the client sees only an early end. */
  onAbort?(error: unknown): void;
}

/** The response to a request, compressed if the client accepts it. What is left of the request body is discarded. */
export async function send(
  event: Pick<H3Event, 'req'>,
  reply: Reply,
  { cookie, onAbort }: SendOptions = {},
): Promise<Response> {
  await drainBody(event);
  const { status = 200, body: given = '', isLive = false } = reply;
  const isPublic = reply.isPublic === true && cookie === undefined; // a cache would pass the cookie on to others
  const headers = toHeaders(reply, isPublic, cookie);
  if (given instanceof Uint8Array) return respond(given, status, headers);

  const body =
    typeof given === 'object' && !isLive
      ? await bufferShort(given, isPublic ? MAX_TAGGED : MAX_BUFFERED, onAbort)
      : given;
  const isShort = typeof body === 'string' && Buffer.byteLength(body) <= MAX_UNCOMPRESSED;
  if (!isShort) headers.push(['vary', 'accept-encoding']);
  if (isPublic && typeof body === 'string') {
    const etag = createEtag(body);
    headers.push(['etag', etag]);
    if (isKnown(event, etag)) return respond(body, 304, headers);
  }
  if (isShort) return respond(body, status, headers);

  const coding = pickCoding(event.req.headers.get('accept-encoding') ?? '');
  if (coding) headers.push(['content-encoding', coding]);
  if (event.req.method === 'HEAD') {
    // h3 discards the body anyway, but would not close a stream.
    if (typeof body !== 'string') await body[Symbol.asyncIterator]().return?.();
    return respond('', status, headers);
  }
  return respond(await encode(body, coding), status, headers);
}

function toHeaders({ type, headers, maxAge }: Reply, isPublic: boolean, cookie: string | undefined): Header[] {
  const all: Header[] = [...COMMON_HEADERS, ['cache-control', cacheControl(isPublic, maxAge)]];
  // No page of another site may embed private content, for example as a script or image.
  if (!isPublic) all.push(['cross-origin-resource-policy', 'same-origin']);
  if (type) all.push(['content-type', type]);
  if (headers) all.push(...Object.entries(headers));
  if (cookie !== undefined) all.push(['set-cookie', cookie]);
  return all;
}

function cacheControl(isPublic: boolean, maxAge: Seconds | undefined): string {
  if (maxAge === undefined) return isPublic ? 'public, no-cache' : 'no-store';
  return `${isPublic ? 'public' : 'private'}, max-age=${maxAge}${maxAge === FOR_EVER ? ', immutable' : ''}`;
}

/** Weak, because the same text is sent in several encodings. */
const createEtag = (body: string): string => `W/"${hash('sha256', body, 'base64url')}"`;

/** The tag without its weak marker: a cache may ask for either (RFC 9110, 13.1.2). */
const toOpaque = (etag: string): string => etag.replace(/^W\//, '');

/** Whether the client already has this response. */
function isKnown(event: Pick<H3Event, 'req'>, etag: string): boolean {
  const known = (event.req.headers.get('if-none-match') ?? '').split(',').map((each) => each.trim());
  return known.some((each) => each === '*' || toOpaque(each) === toOpaque(etag));
}

/** The best encoding that the client accepts. */
function pickCoding(accepted: string): Coding | undefined {
  const codings = new Map(
    accepted.split(',').map((item) => {
      const [name = '', weight = 'q=1'] = item.toLowerCase().split(';');
      return [name.trim(), Number(weight.replace('q=', ''))] as const;
    }),
  );
  const accepts = (coding: Coding): boolean => (codings.get(coding) ?? codings.get('*') ?? 0) > 0;
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : undefined;
}

/** Fast rather than small: at its highest quality brotli takes a hundred times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

async function encode(body: string | AsyncIterable<string>, coding: Coding | undefined): Promise<Body> {
  if (typeof body === 'string') {
    if (!coding) return body;
    return coding === 'br' ? compressBrotli(body, BROTLI) : compressGzip(body);
  }
  const stream = Readable.from(body, { objectMode: false });
  if (!coding) return stream;
  const compressed = coding === 'br' ? createBrotliCompress(BROTLI) : createGzip();
  return pipeline(stream, compressed, () => undefined); // a failure on either side ends the other
}

/** The whole text if it is short; otherwise the same chunks as a stream, with the first ones joined. */
async function bufferShort(
  chunks: AsyncIterable<string>,
  limit: number,
  onAbort: SendOptions['onAbort'],
): Promise<string | AsyncIterable<string>> {
  const rest = chunks[Symbol.asyncIterator]();
  let text = '';
  for (let chunk = await rest.next(); !chunk.done; chunk = await rest.next()) {
    text += chunk.value;
    if (text.length > limit) return join(text, rest, onAbort);
  }
  return text;
}

/** Not a generator: one that is abandoned before its first chunk would never close the rest. */
function join(first: string, rest: AsyncIterator<string>, onAbort: SendOptions['onAbort']): AsyncIterable<string> {
  const waiting = [first];
  const iterator: AsyncIterator<string> = {
    async next() {
      const value = waiting.pop();
      if (value !== undefined) return { value };
      return rest.next().catch((error: unknown) => {
        onAbort?.(error);
        throw error;
      });
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
