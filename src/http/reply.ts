import { hash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { H3Event } from 'h3';
import { FastResponse } from 'srvx';
import { MEDIA_TYPES } from '../formats/format.ts';

/** What a handler answers; `send` turns it into a response. */
export interface Reply {
  /** 200 unless given. */
  status?: number;
  /** Media type of the body. */
  type?: string;
  /** Bytes are sent as they are, a stream piece by piece unless it is short as a whole. */
  body?: string | Uint8Array | AsyncIterable<string>;
  headers?: Readonly<Record<string, string>>;
  /** The same for everybody: caches may keep it, and ask each time whether it still holds. */
  isPublic?: boolean;
  /** `Cache-Control`, where it is not the one that follows from `isPublic`. */
  cache?: string;
  /** What was wrong, of an error answer: one sentence. */
  error?: string;
  /** Even a short stream is sent piece by piece. */
  isLive?: boolean;
}

/** Success with nothing to say: clients tell it by the empty body. */
export const EMPTY: Reply = {};

/** A value as JSON. */
export const json = (value: unknown): Reply => ({ type: MEDIA_TYPES.json, body: JSON.stringify(value) });

/** Marks an answer as the same for everybody. */
export const toPublic = (reply: Reply): Reply => ({ ...reply, isPublic: true });

/** JSON that is written while it is sent. */
export const jsonStream = (body: AsyncIterable<string>): Reply => ({ type: MEDIA_TYPES.json, body });

/** On every answer: any web page may read the public interface, and none with anybody's credentials. */
export const COMMON: [string, string][] = [
  ['access-control-allow-origin', '*'],
  ['x-content-type-options', 'nosniff'],
];
/** Up to this, a stream is sent as one text, which is quicker. Characters. */
const GATHERED_UP_TO = 65_536;
/** The same of a public answer, so that it has an `ETag`: a longer one is never held whole. Characters. */
const TAGGED_UP_TO = 1024 * 1024;
/** Up to this, compressing costs more than it saves. Bytes. */
const PLAIN_UP_TO = 1024;

type Coding = 'br' | 'gzip';

type Body = string | Uint8Array | NodeJS.ReadableStream;

// h3 makes a response like this of what a handler returns, but copies all headers once more.
function respond(body: Body, status: number, headers: [string, string][]): Response {
  const sent = status === 204 || status === 304 ? null : body;
  return new FastResponse(sent as ConstructorParameters<typeof Response>[0], { status, headers });
}

interface Sending {
  /** A whole `Set-Cookie`. */
  cookie?: string | undefined;
  /** Hears what cut a stream short once a part of it was sent: the client sees only that it ended too early. */
  onCut?(error: unknown): void;
}

/** The response to a request, compressed where that is asked for. */
export async function send(event: H3Event, reply: Reply, { cookie, onCut }: Sending = {}): Promise<Response> {
  const { status = 200, body: given = '', isLive = false } = reply;
  const isPublic = reply.isPublic === true && cookie === undefined; // a cache would hand the cookie on to others
  const headers = [...COMMON, ...toHeaders(reply, isPublic)];
  if (cookie !== undefined) headers.push(['set-cookie', cookie]);
  if (given instanceof Uint8Array) return respond(given, status, headers);

  const body =
    typeof given === 'object' && !isLive ? await gather(given, isPublic ? TAGGED_UP_TO : GATHERED_UP_TO, onCut) : given;
  const isShort = typeof body === 'string' && Buffer.byteLength(body) <= PLAIN_UP_TO;
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
    // h3 drops the body all the same, but would not let go of a stream.
    if (typeof body !== 'string') await body[Symbol.asyncIterator]().return?.();
    return respond('', status, headers);
  }
  return respond(await encode(body, coding), status, headers);
}

function toHeaders({ type, headers = {}, cache }: Reply, isPublic: boolean): [string, string][] {
  const own: [string, string][] = [['cache-control', cache ?? (isPublic ? 'public, no-cache' : 'no-store')]];
  // No page elsewhere may include what is not for everybody, as a script or a picture.
  if (cache === undefined && !isPublic) own.push(['cross-origin-resource-policy', 'same-origin']);
  if (type) own.push(['content-type', type]);
  return [...own, ...Object.entries(headers)];
}

/** Weak, because the same text goes out in several codings. */
const createEtag = (body: string): string => `W/"${hash('sha256', body, 'base64url')}"`;

/** The tag whether weak or strong: a cache may ask for either (RFC 9110, 13.1.2). */
const toOpaque = (etag: string): string => etag.replace(/^W\//, '');

/** Whether the client has this very answer already. */
function isKnown(event: H3Event, etag: string): boolean {
  const known = (event.req.headers.get('if-none-match') ?? '').split(',').map((each) => each.trim());
  return known.some((each) => each === '*' || toOpaque(each) === toOpaque(etag));
}

/** The better of those that the client accepts. */
function pickCoding(accepted: string): Coding | undefined {
  const codings = new Map(
    accepted.split(',').map((item) => {
      const [name = '', weight = 'q=1'] = item.toLowerCase().split(';');
      return [name.trim(), Number(weight.trim().replace('q=', ''))] as const;
    }),
  );
  const accepts = (coding: Coding): boolean => (codings.get(coding) ?? codings.get('*') ?? 0) > 0;
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : undefined;
}

/** Quick rather than small: at its highest quality brotli takes a hundred times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

async function encode(
  body: string | AsyncIterable<string>,
  coding: Coding | undefined,
): Promise<string | Buffer | NodeJS.ReadableStream> {
  if (typeof body === 'string') {
    if (!coding) return body;
    return coding === 'br' ? compressBrotli(body, BROTLI) : compressGzip(body);
  }
  const stream = Readable.from(body, { objectMode: false });
  if (!coding) return stream;
  const packed = coding === 'br' ? createBrotliCompress(BROTLI) : createGzip();
  return pipeline(stream, packed, () => undefined); // either end that breaks ends the other
}

/** The whole text when it is short; else the same pieces as a stream, with the first ones joined. */
async function gather(
  pieces: AsyncIterable<string>,
  limit: number,
  onCut: Sending['onCut'],
): Promise<string | AsyncIterable<string>> {
  const rest = pieces[Symbol.asyncIterator]();
  let text = '';
  for (let piece = await rest.next(); !piece.done; piece = await rest.next()) {
    text += piece.value;
    if (text.length > limit) return join(text, rest, onCut);
  }
  return text;
}

/** Not a generator: one that is left before its first piece is taken would not let go of the rest. */
function join(first: string, rest: AsyncIterator<string>, onCut: Sending['onCut']): AsyncIterable<string> {
  const waiting = [first];
  const iterator: AsyncIterator<string> = {
    async next() {
      const value = waiting.pop();
      if (value !== undefined) return { value };
      return rest.next().catch((error: unknown) => {
        onCut?.(error);
        throw error;
      });
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
