import type { Stamp, UserId } from '../../domain/types.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { Served, ServedMark, ServedMarkStore } from '../../storage/stores.ts';

/**
 * For apps that send the time of their own clock as `since` after an upload. A fast clock would skip changes, and any
 * clock would skip what other devices uploaded meanwhile. So the newest mark served to each device is stored, and an app
 * always receives at least the changes since that mark.
 */
export interface ServedMarks {
  /** The result of `query`, from the mark where this device has to start. */
  serve<Result extends { mark: Stamp }>(
    client: { user: UserId; device: string },
    kind: Served,
    since: Stamp,
    query: (from: Stamp) => Promise<Result>,
  ): Promise<Result>;
}

export const createServedMarks = (store: ServedMarkStore): ServedMarks => ({
  async serve({ user, device }, kind, since, query) {
    const kept = await store.find(user, device, kind);
    const from = startOf(kept, since);
    const result = await query(from);
    if (result.mark === kept?.mark) return result;
    await store.save(user, device, kind, { since, from, mark: result.mark }).catch((error: unknown) => {
      if (!isStorageError(error, 'full')) throw error; // reading needs no space: the next response repeats these changes
    });
    return result;
  },
});

/** An app that sends the same `since` again did not receive, or did not process, the response. */
function startOf(kept: ServedMark | undefined, since: Stamp): Stamp {
  // Nothing was served yet, whatever its clock says; or a backup was restored, which has no served marks: then an app that
  // has synced before needs the removals, too, which are left out only from 0.
  if (!kept) return Math.min(since, 1);
  return since === kept.since ? kept.from : Math.min(since, kept.mark);
}
