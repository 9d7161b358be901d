import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import { FetchError } from './failure.ts';

/** Encodings that `readBody` undoes, for `Accept-Encoding`. */
export const ENCODINGS = 'gzip, deflate, br';

const ungzip = promisify(gunzip);
const unzlib = promisify(inflate);
const undeflate = promisify(inflateRaw);
const unbrotli = promisify(brotliDecompress);

/**
 * All of a body without its `Content-Encoding`, at most `limit` bytes on the wire and after inflation. Rejects with a
 * FetchError when it is damaged, larger, or encoded in another way.
 */
export async function readBody(body: AsyncIterable<Uint8Array>, encoding: string, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks, size), encoding, limit);
}

/** gzip is known by its first bytes: servers forget to say so, or say so of what is not gzip. */
async function decode(bytes: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  // What ends too early is taken as far as it goes, as browsers do.
  const options = { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return await ungzip(bytes, options);
    switch (encoding.trim().toLowerCase()) {
      case 'br':
        return await unbrotli(bytes, { maxOutputLength: limit });
      case 'deflate':
        // Half of the servers leave out the header of zlib.
        return await ((bytes[0] ?? 0) % 16 === 8 ? unzlib(bytes, options) : undeflate(bytes, options));
      case 'zstd':
      case 'compress':
        throw new FetchError('the server compresses in a way that it was not asked for');
      default: // what says that it is gzip, and is not, or names its character set
        return bytes;
    }
  } catch (error) {
    if (error instanceof FetchError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new FetchError('what the server sends is damaged: it cannot be decompressed');
  }
}

/** For a body beyond `limit` bytes. */
export const tooLarge = (limit: number): FetchError => new FetchError(`it is larger than ${limit / 1_000_000} MB`);
