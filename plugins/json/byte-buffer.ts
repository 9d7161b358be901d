const SIZE = 512 * 1024;
/** The most bytes that a UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

/** Collects texts as UTF-8 in memory that is used again and again. */
export class ByteBuffer {
  #memory = Buffer.allocUnsafe(SIZE);
  #length = 0;

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    const needed = this.#length + text.length * BYTES_PER_UNIT;
    if (needed > this.#memory.length) this.#memory = Buffer.concat([this.bytes], Math.max(needed, this.#length * 2));
    this.#length += this.#memory.write(text, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#memory.length > SIZE) this.#memory = Buffer.allocUnsafe(SIZE);
  }
}
