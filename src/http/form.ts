import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { MIMEType } from 'node:util';
import { Busboy } from '@fastify/busboy';
import type { H3Event } from 'h3';
import { MAX_BODY, MAX_FORM_FIELDS } from '../body-limits.ts';
import { invalid, Refusal } from '../domain/errors.ts';
import type { BodyBudget } from './body-budget.ts';
import { encodingOf, openReservation, readChunks, tooLarge } from './body.ts';
import { REPLACEMENT } from './input.ts';

/** Limit for the headers of one field. Bytes. */
const MAX_FIELD_HEAD = 4096;
/** Bytes that are parsed before the number of fields is looked at: a few thousand empty ones fit in. */
const CHUNK = 4096;

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const [AMPERSAND, PLUS, BLANK] = [0x26, 0x2b, 0x20];
/** What RFC 2046 allows, without what would have to be quoted. */
const BOUNDARY = /^[\w'()+./:=?-]{1,70}$/;

/** The fields of a form by name; the last one if several share a name. */
export class Form extends Map<string, string> {
  readonly #all = new Map<string, string[]>();

  /** Adds a field beside those that have the same name. */
  append(name: string, value: string): void {
    this.set(name, value);
    const values = this.#all.get(name);
    if (values) values.push(value);
    else this.#all.set(name, [value]);
  }

  /** All fields with this name, in order. */
  all(name: string): readonly string[] {
    return this.#all.get(name) ?? [];
  }
}

/** Limits of a form, by default those of an ordinary one, and how to read its files. */
export interface FormLimits {
  /** Bytes. */
  limit?: number;
  /** Including files. */
  maxFields?: number;
  /** Bytes of each file, by default as many as of the form. */
  maxFile?: number;
  /** For a form that may be large: its budget, and who sends it. Without `sender`, each form is on its own. */
  budget?: BodyBudget;
  sender?: unknown;
  /** The text of a file, which must be UTF-8 by default. Must not throw. */
  readFile?: (bytes: Buffer) => string;
}

/**
 * A form, url-encoded or multipart: its texts, and those of its files. Parsed while it arrives, as anybody can send one.
 * Throws `too-large`, or `invalid` for another Content-Type, any Content-Encoding, too many fields, and what is not
 * UTF-8.
 */
export async function readForm(
  event: H3Event,
  {
    limit = MAX_BODY.form,
    maxFields = MAX_FORM_FIELDS,
    maxFile = limit,
    budget,
    sender = event,
    readFile = (bytes) => bytes.toString(),
  }: FormLimits = {},
): Promise<Form> {
  const type = readFormType(event);
  // No browser compresses a form, and a few compressed kilobytes could expand to megabytes.
  if (encodingOf(event) !== '') throw invalid('a form must be sent without Content-Encoding');

  const fields = new Form();
  const reservation = budget && openReservation(event, budget, sender);
  const chunks = readChunks(event, limit, reservation);
  const read = type === URL_ENCODED ? readUrlEncoded : readMultipart;
  await read(chunks, { type, limit, maxFields, maxFile, readFile }, fields).catch((error: unknown) => {
    throw error instanceof Refusal ? error : invalid('the request body is not a form');
  });
  reservation?.complete();
  return fields;
}

/** Reads the fields of a form from its body. */
type ReadFields = (
  body: AsyncIterable<Uint8Array>,
  form: Required<Omit<FormLimits, 'budget' | 'sender'>> & { type: string },
  fields: Form,
) => Promise<void>;

/** Not by Busboy, which concatenates characters: a text of megabytes would block all other requests. */
const readUrlEncoded: ReadFields = async (body, { maxFields }, fields) => {
  const chunks: Uint8Array[] = [];
  let count = 1;
  for await (const chunk of body) {
    for (let at = chunk.indexOf(AMPERSAND); at !== -1; at = chunk.indexOf(AMPERSAND, at + 1)) {
      if (++count > maxFields) throw tooManyFields(maxFields);
    }
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw notUtf8();
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === PLUS) bytes[at] = BLANK;
  for (const field of bytes.toString().split('&')) {
    const [name = ''] = field.split('=', 1);
    fields.append(decode(name), decode(field.slice(name.length + 1)));
  }
};

/** The slower decoder keeps invalid escapes, and replaces bytes that are not UTF-8. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return requireUtf8(new URLSearchParams(`text=${text}`).get('text')!);
  }
}

const readMultipart: ReadFields = async (body, { type, limit, maxFields, maxFile, readFile }, fields) => {
  const keep = (name: string | undefined, text: string): void => {
    if (name !== undefined) fields.append(name, text);
  };
  const limits = { fieldSize: limit, fileSize: maxFile, parts: maxFields, headerSize: MAX_FIELD_HEAD };
  const parser = new Busboy({ headers: { 'content-type': type }, limits });
  parser
    .on('field', keep)
    .on('partsLimit', () => parser.destroy(tooManyFields(maxFields)))
    .on('file', (name, file) => {
      const chunks: Buffer[] = [];
      file.on('data', (chunk: Buffer) => chunks.push(chunk));
      file.on('end', () => keep(name, readFile(Buffer.concat(chunks))));
      file.on('limit', () => parser.destroy(tooLarge(maxFile)));
      file.on('error', () => undefined); // of the whole form, too
    });
  async function* split(): AsyncIterable<Uint8Array> {
    for await (const chunk of body) {
      for (let at = 0; at < chunk.length; at += CHUNK) yield chunk.subarray(at, at + CHUNK);
    }
  }
  await pipeline(split, parser);
  for (const name of fields.keys()) [name, ...fields.all(name)].forEach(requireUtf8);
};

/** Refuses a decoded text with a replacement character, as it was probably not UTF-8. */
function requireUtf8(text: string): string {
  if (text.includes(REPLACEMENT)) throw notUtf8();
  return text;
}

const notUtf8 = (): Refusal => invalid('the form is not UTF-8');

const tooManyFields = (most: number): Refusal => invalid(`the form has more than ${most} fields`);

/**
 * The media type of a form, rebuilt from its parsed parts, because the parser must not interpret it in another
 * way. A list of types is refused; a repeated header arrives as one.
 */
function readFormType(event: H3Event): string {
  const sent = event.req.headers.get('content-type') ?? '';
  const type = sent.includes(',') ? undefined : parseType(sent);
  if (type?.essence === URL_ENCODED) return URL_ENCODED;
  const boundary = type?.params.get('boundary') ?? '';
  if (type?.essence === MULTIPART && BOUNDARY.test(boundary)) return `${MULTIPART}; boundary=${boundary}`;
  throw invalid(`a form needs one Content-Type: ${URL_ENCODED}, or ${MULTIPART} with a boundary`);
}

function parseType(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined;
  }
}
