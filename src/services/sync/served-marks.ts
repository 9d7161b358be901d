import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { MAX_AHEAD } from '../../domain/stamp.ts';
import type { Stamp, UserId } from '../../domain/types.ts';
import type { Served, ServedMark, ServedMarkStore } from '../../storage/stores.ts';

/**
 * For apps that send the time of their own clock as `since` after an upload. A fast clock would skip changes, and any
 * clock would skip what other devices uploaded meanwhile. So the newest mark served to each device is stored, and an app
 * always receives at least the changes since that mark.
 */
export interface ServedMarks {
  /** The result of `query`, from the mark where this device, or app, has to start. */
  serve<Result extends { mark: Stamp }>(
    device: { user: UserId; id: string },
    kind: Served,
    since: Stamp,
    query: (from: Stamp) => Promise<Result>,
  ): Promise<Result>;
}

export const createServedMarks = (store: ServedMarkStore): ServedMarks => ({
  async serve({ user, id }, kind, since, query) {
    const kept = await store.find(user, id, kind);
    const from = startOf(kept, since);
    const result = await query(from);
    if (result.mark !== kept?.mark) await store.save(user, id, kind, { since, from, mark: result.mark });
    return result;
  },
});

/** Apps whose marks are kept. Others are recognised again. */
const MAX_APPS = 10_000;

const keyOf = (user: UserId, id: string, kind: Served): string => `${user} ${kind} ${id}`;

/**
 * The same for the gpodder.net interface, where most apps send back marks and need none of this. One that sends its clock
 * (Cardo, PinePods) is recognised by a `since` that is later than any mark, and is then served everything once more, as
 * it may have missed something. The marks are only in memory: so that happens again after a restart, which is harmless.
 */
export function createClockMarks(now: Clock): ServedMarks {
  const kept = new LRUCache<string, ServedMark>({ max: MAX_APPS });
  const marks = createServedMarks({
    find: async (...app) => kept.get(keyOf(...app)),
    save: async (user, id, kind, mark) => void kept.set(keyOf(user, id, kind), mark),
  });
  return {
    async serve(app, kind, since, query) {
      if (kept.has(keyOf(app.user, app.id, kind))) return marks.serve(app, kind, since, query);
      const result = await query(since);
      const isClock = since > result.mark + 1 && since <= now() + MAX_AHEAD; // Kasts adds 1 to a mark
      return isClock ? marks.serve(app, kind, since, query) : result;
    },
  };
}

/** An app that sends the same `since` again did not receive, or did not process, the response. */
function startOf(kept: ServedMark | undefined, since: Stamp): Stamp {
  // Nothing was served yet, whatever its clock says. With 1 it also receives removals.
  if (!kept) return Math.min(since, 1);
  return since === kept.since ? kept.from : Math.min(since, kept.mark);
}
