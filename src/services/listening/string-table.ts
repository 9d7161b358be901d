/** Numbers distinct strings. */
export class StringTable {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }
}
