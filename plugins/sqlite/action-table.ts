import { hash } from 'node:crypto';
import type { EpisodeAction, Seconds, Stamp, UserId } from '../../src/plugin.ts';
import type { Database } from './database.ts';
import { toColumn } from './text.ts';

/** Where in the order of upload an action stands, and when it came. */
export interface Arrival {
  stamp: Stamp;
  place: number;
  uploadedAt: Seconds;
}

/** Appends an action; false for a repeat, which is passed over. To be called inside a write. */
export type InsertAction = (user: UserId, action: EpisodeAction, arrival: Arrival) => boolean;

export function createInsertAction(database: Database): InsertAction {
  // Values by place: to look them up by name takes longer than to store them.
  const insert = database.prepare(
    `INSERT INTO actions (
       user_id, stamp, place, podcast, episode, device, guid, action, timestamp,
       position, started, total, fingerprint, uploaded_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (user_id, timestamp, fingerprint) DO NOTHING`,
  );
  return (user, action, { stamp, place, uploadedAt }) => {
    const { podcast, episode, device, guid, timestamp, play } = action;
    const { changes } = insert.run([
      user,
      stamp,
      place,
      podcast,
      episode,
      device ?? null,
      guid === undefined ? null : toColumn(guid),
      action.action,
      timestamp,
      play?.position ?? null,
      play?.started ?? null,
      play?.total ?? null,
      fingerprint(action),
      uploadedAt,
    ]);
    return changes > 0;
  };
}

/** The same for two uploads of one action: all fields but the GUID. */
function fingerprint({ podcast, episode, device, action, timestamp, play }: EpisodeAction): Buffer {
  const fields = [podcast, episode, device, action, timestamp, play?.position, play?.started, play?.total];
  return hash('sha256', JSON.stringify(fields), 'buffer').subarray(0, 16);
}
