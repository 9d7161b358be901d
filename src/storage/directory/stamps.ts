import { nextStamp } from '../../domain/stamp.ts';
import type { Seconds, Stamp } from '../../domain/types.ts';

/** The line of stamps of the directory, as this process knows it: episodes get one when they are first seen. */
export class Stamps {
  /** The newest of any episode. */
  #newest: Stamp = 0;
  /** Of episodes that are being stored; rising. */
  readonly #pending = new Set<Stamp>();
  #lastPending: Stamp = 0;
  /** The highest mark that was handed out. */
  #mark: Stamp = 0;

  /** For episodes that are about to be stored. Until `end` no mark reaches it. */
  begin(now: Seconds): Stamp {
    const last = Math.max(this.#newest, this.#mark - 1, this.#pending.size > 0 ? this.#lastPending : 0);
    this.#lastPending = nextStamp(now, last);
    this.#pending.add(this.#lastPending);
    return this.#lastPending;
  }

  end(stamp: Stamp): void {
    this.#pending.delete(stamp);
  }

  /** An episode with this stamp is stored. */
  add(stamp: Stamp): void {
    this.#newest = Math.max(this.#newest, stamp);
  }

  /** For an answer that shows everything below it. Every episode that is stored later gets a stamp above it. */
  mark(now: Seconds): Stamp {
    const [first] = this.#pending;
    const mark = first === undefined ? Math.max(now, this.#newest + 1) : first - 1;
    this.#mark = Math.max(this.#mark, mark);
    return mark;
  }

  clear(): void {
    this.#newest = this.#mark = 0;
  }
}
