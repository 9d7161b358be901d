import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import { FetchError } from './fetch-error.ts';

/** Encodings that `readBody` can decode, for `Accept-Encoding`. */
export const ENCODINGS = 'gzip, deflate, br';

const ungzip = promisify(gunzip);
const unzlib = promisify(inflate);
const undeflate = promisify(inflateRaw);
const unbrotli = promisify(brotliDecompress);

/**
 * Reads and decodes a whole body, of at most `limit` bytes both before and after decompression. Rejects with a
 * FetchError if it is damaged, too large or in an unsupported encoding.
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

/** Recognizes gzip by its first bytes, as some servers omit the header, or send it with a body that is not gzip. */
async function decode(bytes: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  // Accepts truncated data as far as it goes, as browsers do.
  const options = { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return await ungzip(bytes, options);
    switch (encoding.trim().toLowerCase()) {
      case 'br':
        return await unbrotli(bytes, { maxOutputLength: limit });
      case 'deflate':
        // Half of all servers omit the zlib header.
        return await ((bytes[0] ?? 0) % 16 === 8 ? unzlib(bytes, options) : undeflate(bytes, options));
      case 'zstd':
      case 'compress':
        throw new FetchError('the server uses a compression that was not requested');
      default: // claims to be gzip, but is not; or names a character set
        return bytes;
    }
  } catch (error) {
    if (error instanceof FetchError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new FetchError('the response is damaged: it cannot be decompressed');
  }
}

/** The error for a body of more than `limit` bytes. */
export const tooLarge = (limit: number): FetchError => new FetchError(`it is larger than ${limit / 1_000_000} MB`);
