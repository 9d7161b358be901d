import { isWithinOneEdit } from '../../domain/terms.ts';

/** A podcast that contains a word: its number times 32, plus a bit for each field that contains the word. */
export type Posting = number;

type Words = Map<string, Posting[]>;

/** The postings of all words. The cost of a change does not depend on the number of words. */
export class InvertedIndex {
  /** By first letter. */
  readonly #words = new Map<string, Words>();

  add(word: string, posting: Posting): void {
    const words = this.#words.get(firstLetter(word)) ?? new Map<string, Posting[]>();
    const postings = words.get(word);
    if (postings) postings.push(posting);
    else this.#words.set(firstLetter(word), words.set(copy(word), [posting]));
  }

  remove(word: string, posting: Posting): void {
    const words = this.#words.get(firstLetter(word));
    const postings = words?.get(word);
    if (!words || !postings) return;
    postings[postings.indexOf(posting)] = postings.at(-1)!; // postings are unordered: no need to shift the others
    postings.pop();
    if (postings.length === 0) words.delete(word);
  }

  find(word: string): readonly Posting[] {
    return this.#words.get(firstLetter(word))?.get(word) ?? [];
  }

  /** The postings of each word with this prefix, itself included. */
  *beginningWith(start: string): Iterable<readonly Posting[]> {
    for (const [word, postings] of this.#words.get(firstLetter(start)) ?? []) {
      if (word.startsWith(start)) yield postings;
    }
  }

  /**
   * The postings of each word that differs by one letter added, removed or replaced, or by two adjacent letters
   * swapped.
   */
  *near(word: string): Iterable<readonly Posting[]> {
    const first = firstLetter(word);
    const rest = word.slice(first.length);
    const second = firstLetter(rest);
    yield this.find(rest);
    yield this.find(second + first + rest.slice(second.length));
    for (const [letter, words] of this.#words) {
      if (letter === first) {
        for (const [other, postings] of words) if (isWithinOneEdit(word, other)) yield postings;
      } else {
        yield words.get(letter + rest) ?? [];
        yield words.get(letter + word) ?? [];
      }
    }
  }
}

/** A substring would keep the whole text in memory. */
const copy = (word: string): string => Buffer.from(word).toString();

const firstLetter = (word: string): string => String.fromCodePoint(word.codePointAt(0) ?? 0);
