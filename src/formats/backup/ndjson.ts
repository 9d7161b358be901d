import { pipeline } from 'node:stream';
import { crc32, createGunzip } from 'node:zlib';
import type { JsonObject } from '../../domain/json.ts';
import { ValidationError } from './record.ts';

/** Bytes. The settings of one episode may take nearly a quarter of it. */
const MAX_LINE = 256 * 1024 * 1024;
const LINE_END = 0x0a;

/** A value as a line of JSON, with a checksum as its last key, so that changes to the line can be detected. */
export function writeLine(value: object): string {
  const json = JSON.stringify(value);
  return `${json.slice(0, -1)},"crc":"${checksum(json)}"}\n`;
}

const LINE = /^(.*),"crc":"([0-9a-f]{8})"\}$/s;

/** The value of a line, which comes without its end. Throws `ValidationError` if the line was altered. */
export function parseLine(line: string): JsonObject {
  const [, before, crc] = LINE.exec(line) ?? [];
  const json = `${before}}`;
  if (checksum(json) !== crc) throw new ValidationError('its checksum does not match');
  return JSON.parse(json) as JsonObject;
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, '0');

/** The lines of a file, gzipped or not, in batches as they arrive. Throws `ValidationError` if a line is incomplete. */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Buffer[]> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const chunk of unpack(bytes)) {
    const end = chunk.lastIndexOf(LINE_END) + 1;
    if (end > 0) {
      yield split(Buffer.concat([...rest, chunk.subarray(0, end)]));
      [rest, size] = [[], 0];
    }
    rest.push(chunk.subarray(end));
    size += chunk.length - end;
    if (size > MAX_LINE) throw new ValidationError('it is longer than any line that podsync writes');
  }
  if (size > 0) throw new ValidationError('it is incomplete');
}

/** Splits complete lines, and removes the line ends. */
function split(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf(LINE_END, start);
    lines.push(text.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** Recognizes gzip by its first byte, as the file may have any name. */
async function* unpack(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  const rest = bytes[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done) return;
  const all = prepend(first.value, rest);
  if (first.value[0] !== GZIP) return yield* all;
  try {
    yield* pipeline(all, createGunzip(), () => undefined) as AsyncIterable<Buffer>; // an error at either end closes the other
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    throw new ValidationError('it cannot be decompressed');
  }
}

/** The first byte of gzip; JSON never starts with it. */
const GZIP = 0x1f;

async function* prepend(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncIterable<Buffer> {
  yield Buffer.from(first);
  yield* { [Symbol.asyncIterator]: () => rest } as AsyncIterable<Buffer>;
}
