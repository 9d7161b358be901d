import { randomBytes } from 'node:crypto';
import type { EpisodeAction } from '../../src/plugin.ts';

/** Numbers that stand for one action: its time, and two hashes of its other fields. The last is never 0. */
const WORDS = 3;

/** Where the hashes begin: at random in each process, so that nobody can make two actions that look the same. */
const [LOW, HIGH] = new Int32Array(Uint8Array.from(randomBytes(8)).buffer) as unknown as [number, number];

/** The fingerprints of these actions: the same for two uploads of one, whatever their GUIDs. */
export function fingerprintsOf(actions: readonly EpisodeAction[]): Int32Array {
  const prints = new Int32Array(actions.length * WORDS);
  actions.forEach(({ podcast, episode, device, action, timestamp, play }, index) => {
    const at = index * WORDS;
    prints[at] = timestamp;
    prints[at + 1] = LOW;
    prints[at + 2] = HIGH;
    for (const text of [podcast, episode, device ?? '', action]) mixText(text, prints, at);
    for (const part of [timestamp / 2 ** 32, play?.position, play?.started, play?.total]) {
      mixNumber(part ?? NO_TIME, prints, at);
    }
    prints[at + 2] ||= 1;
  });
  return prints;
}

/** No time of a play is negative. */
const NO_TIME = -1;

/** FNV-1a twice over: a cryptographic hash would take longer than all else that is done with an upload. */
function mixText(text: string, prints: Int32Array, at: number): void {
  let low = prints[at + 1]!;
  let high = prints[at + 2]!;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  prints[at + 1] = low;
  prints[at + 2] = high;
  mixNumber(text.length, prints, at); // so that no field can end where another one begins
}

/** The whole part, modulo 2^32. */
function mixNumber(number: number, prints: Int32Array, at: number): void {
  const low = Math.imul(prints[at + 1]! ^ number, 0x01000193);
  prints[at + 1] = low;
  prints[at + 2] = Math.imul(prints[at + 2]! ^ (low >>> 15), 0x5f356495);
}

/** Places that are tried beside other actions of the same time, before any others. */
const NEAR = 8;

/** A set of fingerprints, in a tenth of the memory that a `Set` of texts takes. */
export class FingerprintSet {
  /** A hash table with open addressing, at most half full. */
  #slots: Int32Array;
  #size = 0;

  /** `expected`: how many it has room for before it grows. */
  constructor(expected = 8) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(expected * 2 + 1)) * WORDS);
  }

  has(prints: Int32Array, index: number): boolean {
    return this.#slots[this.#find(prints, index * WORDS) + 2] !== 0;
  }

  /** Answers whether it was not there yet. */
  add(prints: Int32Array, index: number): boolean {
    const place = this.#find(prints, index * WORDS);
    if (this.#slots[place + 2] !== 0) return false;
    this.#put(prints, index * WORDS, place);
    this.#size += 1;
    if (this.#size * 2 * WORDS > this.#slots.length) this.#grow();
    return true;
  }

  addAll(prints: Int32Array): void {
    for (let index = 0; index < prints.length / WORDS; index++) this.add(prints, index);
  }

  /**
   * Where it is, or the empty place where it belongs: beside others of about its time, because what is uploaded together
   * is then together in memory, too; where that is full, anywhere.
   */
  #find(prints: Int32Array, at: number): number {
    const slots = this.#slots;
    const last = slots.length / WORDS - 1;
    const near = prints[at]! + (prints[at + 1]! & 63);
    for (let probe = 0; ; probe++) {
      const slot = (probe < NEAR ? near + probe : prints[at + 1]! + probe) & last;
      const place = slot * WORDS;
      const high = slots[place + 2];
      if (high === 0) return place;
      if (high === prints[at + 2] && slots[place + 1] === prints[at + 1] && slots[place] === prints[at]) return place;
    }
  }

  #put(prints: Int32Array, at: number, place: number): void {
    for (let word = 0; word < WORDS; word++) this.#slots[place + word] = prints[at + word]!;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let at = 0; at < old.length; at += WORDS) if (old[at + 2] !== 0) this.#put(old, at, this.#find(old, at));
  }
}
