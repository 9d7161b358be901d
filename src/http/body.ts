import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { H3Event } from 'h3';
import { SMALL_BODY } from '../body-limits.ts';
import { formatLimit } from '../domain/count.ts';
import { invalid, Refusal } from '../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { parseJson } from '../formats/body.ts';
import type { UploadFormat } from '../formats/list.ts';
import type { BodyParser } from '../services/sync/body-parser.ts';
import type { BodyBudget, Reservation } from './body-budget.ts';
import { readParam } from './input.ts';

const unpack = promisify(gunzip);

/** Limits, parser and budget for a request body. */
export interface BodyOptions {
  /** Bytes, on the wire and again after inflation. */
  limit: number;
  parser: BodyParser;
  budget: BodyBudget;
  /** Identifies the client: see `BodyBudget`. */
  sender: string;
}

/**
 * The request body as JSON, whatever its Content-Type (some clients post JSON as a form); undefined if it is empty.
 * Throws `too-large`, or `invalid` when it is not JSON in UTF-8.
 */
export function readJson(event: H3Event, bodyOptions: BodyOptions): Promise<unknown> {
  return parseBody(event, bodyOptions, (bytes) => bodyOptions.parser.json(bytes));
}

/** The URLs of a list in the format of the path, without duplicates, not yet sanitized. Throws as `readJson` does. */
export function readUrls(event: H3Event, bodyOptions: BodyOptions): Promise<string[]> {
  const format = readParam(event, 'format') as UploadFormat;
  return parseBody(event, bodyOptions, (bytes) => bodyOptions.parser.list(format, bytes));
}

async function parseBody<T>(
  event: H3Event,
  { limit, budget, sender }: BodyOptions,
  parse: (bytes: Buffer) => Promise<T>,
): Promise<T> {
  return parse(await readBytes(event, limit, openReservation(event, budget, sender)));
}

/** Key in the context of a request. */
const RESERVATION = 'podsyncReservation';

/** For the body of a request; see `releaseBody`. */
export function openReservation(event: H3Event, budget: BodyBudget, sender: unknown): Reservation {
  const reservation = budget.open(sender);
  event.context[RESERVATION] = reservation;
  return reservation;
}

/** Call it when the request has been handled: until then its parsed body takes memory. */
export const releaseBody = ({ context }: H3Event): void => (context[RESERVATION] as Reservation | undefined)?.release();

/** A small body as text: it needs no budget. `limit` in bytes. Throws `too-large`, and `invalid` if it ends early. */
export const readText = async (event: H3Event, limit: number): Promise<string> =>
  (await readBytes(event, limit)).toString();

/** The request body as a JSON array of `items`. Throws as `readJson` does, and `invalid` if there is no body. */
export async function readArray(event: H3Event, bodyOptions: BodyOptions, items: string): Promise<unknown[]> {
  const body = await readJson(event, bodyOptions);
  if (Array.isArray(body)) return body;
  throw invalid(`the request body must be a JSON array of ${items}`);
}

/** The request body as a JSON object. Throws as `readJson` does, and `invalid` if there is no body. */
export async function readObject(event: H3Event, bodyOptions: BodyOptions): Promise<JsonObject> {
  return requireObject(await readJson(event, bodyOptions));
}

/** The same; an empty object if there is no body. */
export async function readOptionalObject(event: H3Event, bodyOptions: BodyOptions): Promise<JsonObject> {
  const body = await readJson(event, bodyOptions);
  return body === undefined ? {} : requireObject(body);
}

/** The same, parsed in this thread even if it is large: only for the operator. `limit` in bytes. */
export async function readTrustedObject(event: H3Event, limit: number): Promise<JsonObject> {
  return requireObject(parseJson(await readBytes(event, limit), Infinity));
}

function requireObject(body: unknown): JsonObject {
  if (body === undefined) throw invalid('the request body is missing: send a JSON object');
  if (!isJsonObject(body)) throw invalid('the request body must be a JSON object');
  return body;
}

/** The raw request body, of any size. Throws `invalid` if it ends early. */
export async function* readStream(event: H3Event): AsyncIterable<Uint8Array> {
  try {
    // Not destroyed when the loop is left early: the response uses the same connection.
    yield* nodeRequest(event)?.iterator({ destroyOnReturn: false }) ?? event.req.body ?? [];
  } catch {
    throw endedEarly();
  }
}

/**
 * The raw request body, up to `limit` bytes. Throws `too-large`, and `invalid` as `readStream` does. Closes the
 * connection if the body is evicted from the budget.
 */
export async function* readChunks(event: H3Event, limit: number, reservation?: Reservation): AsyncIterable<Uint8Array> {
  requireShort(event, limit);
  let size = 0;
  for await (const chunk of readStream(event)) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    if (size > SMALL_BODY) await reservation?.reserve(limit, (reason) => nodeRequest(event)?.destroy(reason));
    yield chunk;
  }
}

/** Node's own request; undefined if the app is called without a socket. */
export const nodeRequest = ({ req }: Pick<H3Event, 'req'>): IncomingMessage | undefined =>
  req.runtime?.node?.req as IncomingMessage | undefined;

async function readBytes(event: H3Event, limit: number, reservation?: Reservation): Promise<Buffer> {
  const sent = await readSent(event, limit, reservation);
  reservation?.complete();
  return decode(sent, encodingOf(event), limit, reservation);
}

/** The `Content-Encoding` of the body; `''` if it is not encoded. */
export function encodingOf(event: H3Event): string {
  const encoding = event.req.headers.get('content-encoding')?.toLowerCase() ?? '';
  return encoding === 'identity' ? '' : encoding;
}

/** The body before decoding. */
async function readSent(event: H3Event, limit: number, reservation?: Reservation): Promise<Buffer> {
  requireShort(event, limit);
  // Read from Node directly if possible: a web stream over it costs a third of the throughput.
  const request = nodeRequest(event);
  if (request) return collect(request, limit, reservation);
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(event, limit)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Refuses a body by its Content-Length, before any of it is read. */
function requireShort(event: H3Event, limit: number): void {
  if (Number(event.req.headers.get('content-length')) > limit) throw tooLarge(limit);
}

/**
 * The whole body of a request, read by events: an async iterator costs more than parsing the body. Rejects if the body
 * ends early, though nobody receives the response.
 */
const collect = (request: IncomingMessage, limit: number, reservation?: Reservation): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    /** Receives the chunks if the length is known, so that a long body is in memory only once. */
    let whole: Buffer | undefined;
    const length = Number(request.headers['content-length'] ?? 0); // Node ensures that no more arrives
    const isLarge = (): boolean => size > SMALL_BODY || length > SMALL_BODY;
    let isAdmitted = !reservation;
    const settle = (then: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      then();
    };
    const fail = (error: Error): void => {
      request.pause();
      settle(() => reject(error));
    };
    const admit = (): void => {
      isAdmitted = true;
      request.pause();
      const bytes = request.headers['content-encoding'] === undefined && length > 0 ? length : limit;
      reservation!.reserve(bytes, fail).then(() => request.resume(), fail);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) return fail(tooLarge(limit));
      if (whole) chunk.copy(whole, size - chunk.length);
      else chunks.push(chunk);
      if (!isAdmitted && isLarge()) admit();
      else if (!whole && length > size) {
        whole = Buffer.concat(chunks, length);
        chunks = [];
      }
    };
    const onEnd = (): void =>
      settle(() => resolve(whole ?? (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))));
    const onLost = (): void => settle(() => reject(endedEarly()));
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
    if (request.destroyed) onLost(); // while the password was checked
  });

/** The error for a body of more than `limit` bytes. */
export const tooLarge = (limit: number): Refusal =>
  new Refusal('too-large', `the request body is larger than ${formatLimit(limit)}`);

const endedEarly = (): Refusal => invalid('the connection closed before the whole request body arrived');

async function decode(bytes: Buffer, encoding: string, limit: number, reservation?: Reservation): Promise<Buffer> {
  switch (encoding) {
    case '':
      return bytes;
    case 'gzip':
    case 'x-gzip': {
      const small = await inflate(bytes, Math.min(SMALL_BODY, limit));
      if (small) return small;
      await reservation?.reserve(limit);
      const inflated = await inflate(bytes, limit);
      if (inflated) return inflated;
      throw new Refusal('too-large', `the request body is larger than ${formatLimit(limit)} after decompression`);
    }
    default:
      throw invalid('the request body must be sent unencoded or as gzip; podsync accepts no other Content-Encoding');
  }
}

/** Undefined if the result would be larger than this many bytes. */
async function inflate(bytes: Buffer, most: number): Promise<Buffer | undefined> {
  try {
    return await unpack(bytes, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw invalid('the Content-Encoding is gzip, but the request body is not');
  }
}
