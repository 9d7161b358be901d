import { nextStamp } from '../../domain/stamp.ts';
import type { Seconds, Stamp } from '../../domain/types.ts';

/** The stamps of the directory in this process: an episode gets one when it is first seen. */
export class Stamps {
  /** The newest stamp of any episode. */
  #newest: Stamp = 0;
  /** Stamps of episodes that are being stored; ascending. */
  readonly #pending = new Set<Stamp>();
  #lastPending: Stamp = 0;
  /** The highest mark returned so far. */
  #mark: Stamp = 0;

  /** A stamp for episodes about to be stored. Until `end`, marks stay below it. */
  begin(now: Seconds): Stamp {
    const last = Math.max(this.#newest, this.#mark - 1, this.#pending.size > 0 ? this.#lastPending : 0);
    this.#lastPending = nextStamp(now, last);
    this.#pending.add(this.#lastPending);
    return this.#lastPending;
  }

  end(stamp: Stamp): void {
    this.#pending.delete(stamp);
  }

  /** To be called when an episode with this stamp is stored. */
  add(stamp: Stamp): void {
    this.#newest = Math.max(this.#newest, stamp);
  }

  /** The mark for an answer that contains everything below it. Episodes stored later get a higher stamp. */
  mark(now: Seconds): Stamp {
    const [first] = this.#pending;
    const mark = first === undefined ? Math.max(now, this.#newest + 1) : first - 1;
    this.#mark = Math.max(this.#mark, mark);
    return mark;
  }
}
