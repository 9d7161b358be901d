import { type BudgetLimits, UPLOAD_BUDGET } from '../body-limits.ts';
import { Refusal } from '../domain/errors.ts';

/**
 * Limits the memory that all large request bodies take together. A body that does not fit waits, unread on its
 * connection, until others are parsed. Each sender has at most one body in memory; its others wait.
 */
export interface BodyBudget {
  /** `sender` identifies the client. Reserves nothing yet. */
  open(sender: unknown): Reservation;
}

/** What one body takes of the budget. */
export interface Reservation {
  /**
   * Resolves when there is room for a body of this many bytes; a second call changes nothing. Rejects with `throttled`
   * if too many bodies of the sender are waiting, and with `busy` after too long a wait. `evict` is called if the body
   * arrives slowly while others wait: its reader must then release it. Without `evict`, it has arrived already.
   */
  reserve(bytes: number, evict?: (reason: Refusal) => void): Promise<void>;
  /** The body has arrived and can no longer be evicted. */
  complete(): void;
  release(): void;
}

/** Seconds after which a refused client may try again. */
const RETRY_AFTER = 10;

interface Entry {
  sender: unknown;
  bytes: number;
  admit: () => void;
  evict: () => void;
  isLate: boolean;
  isComplete: boolean;
  timer: NodeJS.Timeout;
}

export function createBodyBudget(limits: BudgetLimits = UPLOAD_BUDGET): BodyBudget {
  /** In the order received. */
  const waiting = new Set<Entry>();
  const admitted = new Set<Entry>();

  const isBusy = (sender: unknown): boolean => [...admitted].some((entry) => entry.sender === sender);
  const isRoomFor = (bytes: number): boolean =>
    admitted.size === 0 || [...admitted].reduce((sum, entry) => sum + entry.bytes, bytes) <= limits.bytes;
  const countWaiting = (sender: unknown): number => [...waiting].filter((entry) => entry.sender === sender).length;

  /** Admits what fits, in order. No sender overtakes another one that waits for room: a large body could starve. */
  function admitWaiting(): void {
    for (const entry of waiting) {
      if (isBusy(entry.sender)) continue;
      if (!isRoomFor(entry.bytes)) return makeRoom();
      waiting.delete(entry);
      admitted.add(entry);
      clearTimeout(entry.timer);
      entry.timer = setTimeout(() => {
        entry.isLate = true;
        admitWaiting();
      }, limits.receive * 1000);
      entry.admit();
    }
  }

  /** Evicts the body that has taken the longest to receive, if it is late. */
  function makeRoom(): void {
    for (const entry of admitted) if (entry.isLate && !entry.isComplete) return entry.evict();
  }

  function wait(sender: unknown, bytes: number, evict?: (reason: Refusal) => void) {
    let admit!: () => void;
    let refuse!: (reason: Refusal) => void;
    const room = new Promise<void>((resolve, reject) => {
      admit = resolve;
      refuse = reject;
    });
    const timer = setTimeout(() => {
      waiting.delete(entry);
      refuse(tooBusy());
      admitWaiting();
    }, limits.wait * 1000);
    const entry: Entry = {
      sender,
      bytes,
      admit,
      evict: () => evict?.(tooSlow()),
      isLate: false,
      isComplete: evict === undefined,
      timer,
    };
    waiting.add(entry);
    admitWaiting();
    return { entry, room };
  }

  return {
    open(sender) {
      let reserved: ReturnType<typeof wait> | undefined;
      return {
        async reserve(bytes, evict) {
          if (!reserved && countWaiting(sender) >= limits.waiting) throw tooManyWaiting();
          reserved ??= wait(sender, bytes, evict);
          await reserved.room;
        },
        complete() {
          if (reserved) reserved.entry.isComplete = true;
        },
        release() {
          if (!reserved) return;
          clearTimeout(reserved.entry.timer);
          waiting.delete(reserved.entry);
          if (admitted.delete(reserved.entry)) admitWaiting();
        },
      };
    },
  };
}

const tooManyWaiting = (): Refusal =>
  new Refusal('throttled', 'too many large uploads at once; send one after another', RETRY_AFTER);
const tooBusy = (): Refusal =>
  new Refusal('busy', 'the server is busy with other large uploads; try again later', RETRY_AFTER);
const tooSlow = (): Refusal =>
  new Refusal('busy', 'the request body arrives too slowly while other uploads wait; try again later', RETRY_AFTER);
