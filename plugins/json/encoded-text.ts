import { crc32 } from 'node:zlib';

/** Maximum bytes of a piece. */
const MAX_PIECE = 1024 * 1024;
const MIN_PIECE = 1024;

const encoder = new TextEncoder();

/** CRC-32 in hexadecimal. `sum`: of the bytes before these. */
export const checksum = (bytes: Uint8Array, sum = 0): string => crc32(bytes, sum).toString(16).padStart(8, '0');

/** A text in UTF-8, encoded as it grows, and its checksum. In several pieces, as it may be long. */
export class EncodedText {
  readonly #full: Buffer[] = [];
  #piece: Buffer;
  #length = 0;
  /** Start of the bytes of the piece that the checksum covers. */
  #start: number;
  /** Checksum of the full pieces. */
  #sum = 0;

  /** `start`: where the bytes that the checksum covers begin. `expected`: bytes; it may have more. */
  constructor(start: number, expected: number) {
    this.#start = start;
    this.#piece = Buffer.allocUnsafe(Math.max(MIN_PIECE, Math.min(expected, MAX_PIECE)));
  }

  append(text: string): void {
    const { read, written } = encoder.encodeInto(text, this.#piece.subarray(this.#length));
    this.#length += written;
    if (read === text.length) return;
    const full = this.#piece.subarray(0, this.#length);
    this.#full.push(full);
    this.#sum = crc32(full.subarray(this.#start), this.#sum);
    this.#piece = Buffer.allocUnsafe(MAX_PIECE);
    [this.#length, this.#start] = [0, 0];
    this.append(text.slice(read));
  }

  get checksum(): string {
    return checksum(this.#piece.subarray(this.#start, this.#length), this.#sum);
  }

  /** The bytes, with a text at a place in the first piece replaced by an ASCII text of the same length. */
  replace(place: number, text: string): Buffer[] {
    const pieces = [...this.#full, this.#piece.subarray(0, this.#length)];
    pieces[0]!.write(text, place, 'latin1');
    return pieces;
  }
}
