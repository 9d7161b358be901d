const encoder = new TextEncoder();

/** A text in UTF-8, encoded as it grows. */
export class TextBuffer {
  #memory: Buffer;
  #length = 0;

  /** `expected`: its approximate number of bytes. */
  constructor(expected: number) {
    this.#memory = Buffer.allocUnsafe(expected);
  }

  append(text: string): void {
    const { read, written } = encoder.encodeInto(text, this.#memory.subarray(this.#length));
    this.#length += written;
    if (read === text.length) return;
    this.#memory = Buffer.concat([this.bytes], 2 * this.#memory.length + text.length);
    this.append(text.slice(read));
  }

  /** Not a copy. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }
}
