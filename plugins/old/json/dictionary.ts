import { areNear } from '../../../src/old-plugin.ts';

/** A podcast that has a word, and where: its number times 32, plus a bit for each field that has the word. */
export type Place = number;

type Words = Map<string, Place[]>;

/** All words that podcasts have, and who has them. A change costs what it changes, however many words there are. */
export class Dictionary {
  /** By first letter. */
  readonly #words = new Map<string, Words>();

  add(word: string, place: Place): void {
    const words = this.#words.get(firstLetter(word)) ?? new Map<string, Place[]>();
    const places = words.get(word);
    if (places) places.push(place);
    else this.#words.set(firstLetter(word), words.set(copy(word), [place]));
  }

  remove(word: string, place: Place): void {
    const words = this.#words.get(firstLetter(word));
    const places = words?.get(word);
    if (!words || !places) return;
    places[places.indexOf(place)] = places.at(-1)!; // in no order: nothing has to move up
    places.pop();
    if (places.length === 0) words.delete(word);
  }

  find(word: string): readonly Place[] {
    return this.#words.get(firstLetter(word))?.get(word) ?? [];
  }

  /** The places of each longer word that begins so. */
  *beginningWith(start: string): Iterable<readonly Place[]> {
    for (const [word, places] of this.#words.get(firstLetter(start)) ?? []) {
      if (word.length > start.length && word.startsWith(start)) yield places;
    }
  }

  /** The places of each word that is this one with a letter added, left out or replaced, or two neighbours swapped. */
  *near(word: string): Iterable<readonly Place[]> {
    const first = firstLetter(word);
    const rest = word.slice(first.length);
    const second = firstLetter(rest);
    yield this.find(rest);
    yield this.find(second + first + rest.slice(second.length));
    for (const [letter, words] of this.#words) {
      if (letter === first) {
        for (const [other, places] of words) if (areNear(word, other)) yield places;
      } else {
        yield words.get(letter + rest) ?? [];
        yield words.get(letter + word) ?? [];
      }
    }
  }
}

/** Without this, the whole text would stay in memory for as long as a word that was cut out of it. */
const copy = (word: string): string => Buffer.from(word).toString();

const firstLetter = (word: string): string => String.fromCodePoint(word.codePointAt(0) ?? 0);
