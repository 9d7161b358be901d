import type { Stamp, UserId } from '../../domain/types.ts';
import type { Served, ServedMark, ServedMarkStore } from '../../storage/stores.ts';

/**
 * Answers for apps that send the time of their own clock as `since` after an upload. A clock that is fast would skip
 * changes, and so would any clock what others uploaded meanwhile. So the newest mark that was served to each device is
 * kept, and an app never hears of less than what came since.
 */
export interface ServedMarks {
  /** What `query` answers from where this device has to hear. */
  serve<Answer extends { mark: Stamp }>(
    device: { user: UserId; id: string },
    served: Served,
    since: Stamp,
    query: (from: Stamp) => Promise<Answer>,
  ): Promise<Answer>;
}

export const createServedMarks = (store: ServedMarkStore): ServedMarks => ({
  async serve({ user, id }, served, since, query) {
    const kept = await store.find(user, id, served);
    const from = startOf(kept, since);
    const answer = await query(from);
    if (answer.mark !== kept?.mark) await store.save(user, id, served, { since, from, mark: answer.mark });
    return answer;
  },
});

/** An app that asks with the same `since` again did not get, or did not take, the answer. */
function startOf(kept: ServedMark | undefined, since: Stamp): Stamp {
  if (!kept) return 0; // nothing was served yet, whatever its clock says
  return since === kept.since ? kept.from : Math.min(since, kept.mark);
}
