import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { H3Event } from 'h3';
import { invalid, Refusal } from '../domain/errors.ts';
import { parseJson } from '../formats/body.ts';
import type { UploadFormat } from '../formats/list.ts';
import type { BodyParser } from '../services/body-parser.ts';

const unpack = promisify(gunzip);

/** How a body is read. */
export interface Reading {
  /** Bytes, on the wire and again after inflation. */
  limit: number;
  parser: BodyParser;
  /** Whose body it is: see `BodyParser`. */
  sender: string;
}

/**
 * The request body as JSON, whatever its Content-Type says (clients post JSON as a form); undefined when it is empty.
 * Throws `too-large`, or `invalid` when it is not JSON in UTF-8.
 */
export async function readJson(event: H3Event, { limit, parser, sender }: Reading): Promise<unknown> {
  return parser.json(sender, await readBytes(event, limit));
}

/** The URLs of an uploaded list, each once, not yet sanitized. Throws as `readJson` does. */
export async function readUrls(event: H3Event, format: UploadFormat, reading: Reading): Promise<string[]> {
  return reading.parser.list(reading.sender, format, await readBytes(event, reading.limit));
}

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

/** The request body as it comes over the wire, up to `limit` bytes. Throws `too-large`, and `invalid` as `readStream` does. */
export async function* readPieces(event: H3Event, limit: number): AsyncIterable<Uint8Array> {
  requireShort(event, limit);
  let size = 0;
  for await (const chunk of readStream(event)) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    yield chunk;
  }
}

/** Node's own request; undefined where the app is called without a socket. */
export const nodeRequest = (event: H3Event): IncomingMessage | undefined =>
  event.runtime?.node?.req as IncomingMessage | undefined;

async function readBytes(event: H3Event, limit: number): Promise<Buffer> {
  const sent = await readSent(event, limit);
  return decode(sent, event.req.headers.get('content-encoding') ?? '', limit);
}

/** The body as it came over the wire. */
async function readSent(event: H3Event, limit: number): Promise<Buffer> {
  requireShort(event, limit);
  // Read from Node directly where that is there: a web stream over it costs a third of the throughput.
  const request = nodeRequest(event);
  if (request) return collect(request, limit);
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
const collect = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    /** Takes the chunks where the length is known, so that a long body is in memory once. */
    let whole: Buffer | undefined;
    const length = Number(request.headers['content-length'] ?? 0); // Node makes sure that no more comes
    const settle = (then: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      then();
    };
    const onData = (chunk: Buffer): void => {
      if (chunk.length < length) {
        whole ??= Buffer.allocUnsafeSlow(length);
        chunk.copy(whole, size);
      } else chunks.push(chunk);
      size += chunk.length;
      if (size <= limit) return;
      request.pause();
      settle(() => reject(tooLarge(limit)));
    };
    const onEnd = (): void =>
      settle(() => resolve(whole ?? (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))));
    const onLost = (): void => settle(() => reject(brokenOff()));
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
    if (request.destroyed) onLost(); // while the password was checked
  });

const tooLarge = (limit: number): Refusal => new Refusal('too-large', `the request body is larger than ${limit} bytes`);

const brokenOff = (): Refusal => invalid('the connection broke off before the whole request body came');

async function decode(bytes: Buffer, encoding: string, limit: number): Promise<Buffer> {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return bytes;
    case 'gzip':
    case 'x-gzip':
      try {
        return await unpack(bytes, { maxOutputLength: limit });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
          throw new Refusal('too-large', `the request body is larger than ${limit} bytes once unpacked`);
        }
        throw invalid('the request body is not gzip, though its Content-Encoding says so');
      }
    default:
      throw invalid('the request body may be sent as it is or as gzip, in no other Content-Encoding');
  }
}
