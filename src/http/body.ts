import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { H3Event } from 'h3';
import { invalid, Refusal } from '../domain/errors.ts';
import { parseJson } from '../formats/body.ts';
import type { UploadFormat } from '../formats/list.ts';
import type { BodyParser } from '../services/sync/body-parser.ts';
import type { BodyBudget, Reservation } from './body-budget.ts';

const unpack = promisify(gunzip);
/** Smaller bodies are read whatever else is being read. Bytes. */
const SMALL = 65_536;

/** How a body is read. */
export interface Reading {
  /** Bytes, on the wire and again after inflation. */
  limit: number;
  parser: BodyParser;
  budget: BodyBudget;
  /** Whose body it is: see `BodyBudget`. */
  sender: string;
}

/**
 * The request body as JSON, whatever its Content-Type says (clients post JSON as a form); undefined when it is empty.
 * Throws `too-large`, or `invalid` when it is not JSON in UTF-8.
 */
export function readJson(event: H3Event, reading: Reading): Promise<unknown> {
  return parseBody(event, reading, (bytes) => reading.parser.json(bytes));
}

/** The URLs of an uploaded list, each once, not yet sanitized. Throws as `readJson` does. */
export function readUrls(event: H3Event, format: UploadFormat, reading: Reading): Promise<string[]> {
  return parseBody(event, reading, (bytes) => reading.parser.list(format, bytes));
}

async function parseBody<T>(
  event: H3Event,
  { limit, budget, sender }: Reading,
  parse: (bytes: Buffer) => Promise<T>,
): Promise<T> {
  return parse(await readBytes(event, limit, openReservation(event, budget, sender)));
}

const reservations = new WeakMap<H3Event, Reservation>();

/** For the body of a request; see `releaseBody`. */
export function openReservation(event: H3Event, budget: BodyBudget, sender: unknown): Reservation {
  const reservation = budget.open(sender);
  reservations.set(event, reservation);
  return reservation;
}

/** To be called when the request is handled: what its body became takes memory until then. */
export const releaseBody = (event: H3Event): void => reservations.get(event)?.release();

/** The request body as text. `limit` in bytes. Throws `too-large`, and `invalid` where it breaks off. */
export const readText = async (event: H3Event, limit: number, budget: BodyBudget): Promise<string> =>
  (await readBytes(event, limit, openReservation(event, budget, event))).toString();

/** The request body as a JSON object. Throws as `readJson` does, and `invalid` where there is no body. */
export async function readObject(event: H3Event, reading: Reading): Promise<Record<string, unknown>> {
  return requireObject(await readJson(event, reading));
}

/** The same; an empty object where there is no body. */
export async function readOptionalObject(event: H3Event, reading: Reading): Promise<Record<string, unknown>> {
  const body = await readJson(event, reading);
  return body === undefined ? {} : requireObject(body);
}

/** The same, parsed at once whatever is in it: for the operator alone. `limit` in bytes. */
export async function readTrustedObject(event: H3Event, limit: number): Promise<Record<string, unknown>> {
  return requireObject(parseJson(await readBytes(event, limit)));
}

function requireObject(body: unknown): Record<string, unknown> {
  if (body === undefined) throw invalid('the request body is missing: send a JSON object');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('the request body must be a JSON object');
  }
  return body as Record<string, unknown>;
}

/** The request body as it comes, of any size. Throws `invalid` where it breaks off. */
export async function* readStream(event: H3Event): AsyncIterable<Uint8Array> {
  try {
    // Not destroyed when it is left: the answer goes out over the same connection.
    yield* nodeRequest(event)?.iterator({ destroyOnReturn: false }) ?? event.req.body ?? [];
  } catch {
    throw brokenOff();
  }
}

/**
 * The request body as it comes over the wire, up to `limit` bytes. Throws `too-large`, and `invalid` as `readStream`
 * does. A connection that has to give way is closed.
 */
export async function* readPieces(event: H3Event, limit: number, reservation?: Reservation): AsyncIterable<Uint8Array> {
  requireShort(event, limit);
  let size = 0;
  for await (const chunk of readStream(event)) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    if (size > SMALL) await reservation?.reserve(limit, (reason) => nodeRequest(event)?.destroy(reason));
    yield chunk;
  }
}

/** Node's own request; undefined where the app is called without a socket. */
export const nodeRequest = (event: H3Event): IncomingMessage | undefined =>
  event.runtime?.node?.req as IncomingMessage | undefined;

async function readBytes(event: H3Event, limit: number, reservation?: Reservation): Promise<Buffer> {
  const sent = await readSent(event, limit, reservation);
  reservation?.complete();
  return decode(sent, encodingOf(event), limit, reservation);
}

/** `''` where the body is sent as it is. */
function encodingOf(event: H3Event): string {
  const encoding = event.req.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  return encoding === 'identity' ? '' : encoding;
}

/** The body as it came over the wire. */
async function readSent(event: H3Event, limit: number, reservation?: Reservation): Promise<Buffer> {
  requireShort(event, limit);
  // Read from Node directly where that is there: a web stream over it costs a third of the throughput.
  const request = nodeRequest(event);
  if (request) return collect(request, limit, reservation);
  const chunks: Uint8Array[] = [];
  for await (const chunk of readPieces(event, limit)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Before anything of a body is read that says how long it is. */
function requireShort(event: H3Event, limit: number): void {
  if (Number(event.req.headers.get('content-length')) > limit) throw tooLarge(limit);
}

/**
 * The whole body of a request, by its events: an async iterator costs more than parsing what it brings. A body that
 * broke off is refused, though nobody is there to hear it.
 */
const collect = (request: IncomingMessage, limit: number, reservation?: Reservation): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    /** Takes the chunks where the length is known, so that a long body is in memory once. */
    let whole: Buffer | undefined;
    const length = Number(request.headers['content-length'] ?? 0); // Node makes sure that no more comes
    const isLarge = (): boolean => size > SMALL || length > SMALL;
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
    const onLost = (): void => settle(() => reject(brokenOff()));
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
    if (request.destroyed) onLost(); // while the password was checked
  });

const tooLarge = (limit: number): Refusal => new Refusal('too-large', `the request body is larger than ${limit} bytes`);

const brokenOff = (): Refusal => invalid('the connection broke off before the whole request body came');

async function decode(bytes: Buffer, encoding: string, limit: number, reservation?: Reservation): Promise<Buffer> {
  switch (encoding) {
    case '':
      return bytes;
    case 'gzip':
    case 'x-gzip': {
      const small = await inflate(bytes, Math.min(SMALL, limit));
      if (small) return small;
      await reservation?.reserve(limit);
      const inflated = await inflate(bytes, limit);
      if (inflated) return inflated;
      throw new Refusal('too-large', `the request body is larger than ${limit} bytes once unpacked`);
    }
    default:
      throw invalid('the request body may be sent as it is or as gzip, in no other Content-Encoding');
  }
}

/** Undefined where it would be larger than this many bytes. */
async function inflate(bytes: Buffer, most: number): Promise<Buffer | undefined> {
  try {
    return await unpack(bytes, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw invalid('the request body is not gzip, though its Content-Encoding says so');
  }
}
