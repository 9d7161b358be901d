import type { Seconds, Stamp } from '../../domain/types.ts';

/** The stamp of episodes that are being stored. */
interface PendingStamp {
  readonly stamp: Stamp;
}

/**
 * The stamps of the directory in this process: an episode gets one when it is first seen. Several may share one, so that
 * stamps stay close to the clock however many feeds are fetched.
 */
export class Stamps {
  /** The newest stamp of any episode. */
  #newest: Stamp = 0;
  /** The highest mark that this or another process may have returned. Later stamps are above it. */
  #mark: Stamp = 0;
  /** Ascending. */
  readonly #pending = new Set<PendingStamp>();

  /** A stamp for episodes about to be stored. Until `end`, marks stay below it. */
  begin(now: Seconds): PendingStamp {
    const pending = { stamp: Math.max(now, this.#mark) + 1 };
    this.#pending.add(pending);
    return pending;
  }

  end(pending: PendingStamp): void {
    this.#pending.delete(pending);
  }

  /** To be called when an episode with this stamp is stored. */
  add(stamp: Stamp): void {
    this.#newest = Math.max(this.#newest, stamp);
    const isPending = [...this.#pending].some((pending) => pending.stamp === stamp);
    if (!isPending) this.#mark = Math.max(this.#mark, stamp + 1); // another process may have returned this mark
  }

  /** The mark for an answer that contains everything up to it. Episodes stored later get a higher stamp. */
  mark(now: Seconds): Stamp {
    const [first] = this.#pending;
    const mark = first ? first.stamp - 1 : Math.max(now, this.#newest + 1);
    this.#mark = Math.max(this.#mark, mark);
    return mark;
  }
}
