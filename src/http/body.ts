import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { MIMEType, promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { H3Event } from 'h3';
import { invalid, Refusal } from '../domain/errors.ts';
import { isTooDeep } from '../domain/nesting.ts';
import { REPLACEMENT } from './input.ts';

const unpack = promisify(gunzip);

/**
 * The request body as text, whatever its Content-Type says (clients post JSON as a form). `limit` in bytes counts on
 * the wire and again after inflation. Throws `too-large`, or `invalid` when it is not UTF-8.
 */
export async function readText(event: H3Event, limit: number): Promise<string> {
  const bytes = await readBytes(event, limit);
  if (isAscii(bytes)) return bytes.toString('latin1'); // as most are, and read in a third of the time
  if (!isUtf8(bytes)) throw invalid('the request body is not UTF-8');
  const text = bytes.toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The request body as JSON; undefined when it is empty. Throws as `readText` does. */
export async function readJson(event: H3Event, limit: number): Promise<unknown> {
  const text = await readText(event, limit);
  if (text.trim() === '') return undefined;
  if (isTooDeep(text)) throw invalid('the request body is nested too deeply');
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('the request body is not JSON');
  }
}

/** The request body as a JSON object; an empty one where there is no body. Throws as `readText` does. */
export async function readObject(event: H3Event, limit: number): Promise<Record<string, unknown>> {
  const body = await readJson(event, limit);
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('the request body must be a JSON object');
  }
  return body as Record<string, unknown>;
}

/** A form, url-encoded or multipart: its texts, and those of its files. Throws as `readText` does. */
export async function readForm(event: H3Event, limit: number): Promise<Map<string, string>> {
  const bytes = await readBytes(event, limit);
  const headers = { 'content-type': event.req.headers.get('content-type') ?? '' };
  requireFewFields(bytes, headers['content-type']);
  const form = await new Response(new Uint8Array(bytes), { headers }).formData().catch(() => {
    throw invalid('the request body is not a form');
  });
  const fields = new Map<string, string>();
  for (const [name, value] of form) {
    const text = typeof value === 'string' ? value : await value.text();
    if (text.includes(REPLACEMENT)) throw invalid('the form is not UTF-8');
    fields.set(name, text);
  }
  return fields;
}

/** The most fields of a form. */
const MAX_FIELDS = 50;
/** The most bytes of headers before the content of a field. */
const MAX_FIELD_HEAD = 4096;

/** Anybody can send a form, and one with very many fields takes seconds to read. Throws `invalid`. */
function requireFewFields(bytes: Buffer, type: string): void {
  const boundary = readBoundary(type);
  const separator = boundary === undefined ? '&' : `--${boundary}`;
  const pieces = boundary === undefined ? MAX_FIELDS : MAX_FIELDS + 2; // before the first boundary, and after the last
  const fields = bytes.toString('latin1').split(separator, pieces + 1);
  if (fields.length > pieces || (boundary !== undefined && fields.some(hasLongHead))) {
    throw invalid(`the form has more than ${MAX_FIELDS} fields, or one with many headers`);
  }
}

const hasLongHead = (field: string): boolean =>
  field.length > MAX_FIELD_HEAD && !field.slice(0, MAX_FIELD_HEAD).includes('\r\n\r\n');

/** The boundary of a multipart form; undefined for any other, which is not read by it even if it names one. */
function readBoundary(type: string): string | undefined {
  try {
    const { essence, params } = new MIMEType(type);
    return essence === 'multipart/form-data' ? (params.get('boundary') ?? undefined) : undefined;
  } catch {
    return undefined;
  }
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

/** The most of a body that is read only to be dropped. Bytes. */
const DROPPED_AT_MOST = 64 * 1024 * 1024;

/** Reads what is still coming, and drops it: a client that is cut off while it sends does not read the answer. */
export async function dropBody(event: H3Event): Promise<void> {
  const request = nodeRequest(event);
  if (!request || request.complete) return;
  let dropped = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      dropped += chunk.length;
      if (dropped > DROPPED_AT_MOST) return;
    }
  } catch {
    // the client is gone, and does not wait for an answer
  }
}

/** Node's own request; undefined where the app is called without a socket. */
const nodeRequest = (event: H3Event): IncomingMessage | undefined =>
  event.runtime?.node?.req as IncomingMessage | undefined;

async function readBytes(event: H3Event, limit: number): Promise<Buffer> {
  const sent = await readSent(event, limit);
  return decode(sent, event.req.headers.get('content-encoding') ?? '', limit);
}

/** The body as it came over the wire. */
async function readSent(event: H3Event, limit: number): Promise<Buffer> {
  if (Number(event.req.headers.get('content-length')) > limit) throw tooLarge(limit);
  // Read from Node directly where that is there: a web stream over it costs a third of the throughput.
  const request = nodeRequest(event);
  if (request) return collect(request, limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of event.req.body ?? []) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/**
 * The whole body of a request, by its events: an async iterator costs more than parsing what it brings. A body that
 * broke off is refused, though nobody is there to hear it.
 */
const collect = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (then: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      then();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      request.pause();
      settle(() => reject(tooLarge(limit)));
    };
    const onEnd = (): void => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
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
