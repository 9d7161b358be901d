import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Misshapen } from './shape.ts';

/** Bytes. The settings of one episode may come near a quarter of it. */
const LONGEST_LINE = 256 * 1024 * 1024;
const LINE_END = 0x0a;

/** The lines of a file, packed with gzip or not, in lots as they come. Throws `Misshapen` where a line is not whole. */
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
    if (size > LONGEST_LINE) throw new Misshapen('it is longer than any line that podsync writes');
  }
  if (size > 0) throw new Misshapen('it is cut off');
}

/** Whole lines, without their ends. */
function split(lines: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(LINE_END, start);
    found.push(lines.subarray(start, end));
    start = end + 1;
  }
  return found;
}

/** gzip is known by its first byte: a file may have been given another name. */
async function* unpack(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  const rest = bytes[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done) return;
  const whole = startWith(first.value, rest);
  if (first.value[0] !== GZIP) return yield* whole;
  try {
    yield* pipeline(whole, createGunzip(), () => undefined) as AsyncIterable<Buffer>; // either end that breaks ends the other
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw new Misshapen('it cannot be unpacked');
    throw error;
  }
}

/** JSON never begins with it. */
const GZIP = 0x1f;

async function* startWith(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncIterable<Buffer> {
  yield Buffer.from(first);
  yield* { [Symbol.asyncIterator]: () => rest } as AsyncIterable<Buffer>;
}
