import type { EpisodeAction, Seconds, Stamp, UserId } from '../../src/plugin.ts';
import { fingerprint } from '../sql/fingerprint.ts';
import type { Database } from './database.ts';
import { toColumn } from './text.ts';

/** Where in the order of upload an action stands, and when it came. */
export interface Arrival {
  stamp: Stamp;
  place: number;
  uploadedAt: Seconds;
}

/** So many characters of 6 bits: no two actions have the same by chance. */
const FINGERPRINT = 22;

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
      fingerprint(action, 'base64').slice(0, FINGERPRINT),
      uploadedAt,
    ]);
    return changes > 0;
  };
}
