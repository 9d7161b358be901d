import type { EpisodeAction, Seconds, UserId } from '../../../src/old-plugin.ts';
import { fingerprint } from '../fingerprint.ts';
import { type ActionRow, type Place, toAction } from '../sql/action-row.ts';
import type { Database } from './database.ts';
import { toColumn } from './text.ts';

/** Where in the order of upload an action stands, and when it came. */
interface UploadPlace extends Place {
  uploadedAt: Seconds;
}

/** Characters, of 6 bits each: no two actions have the same by chance. */
const FINGERPRINT = 22;
/** Stands in its place until another action of the same second comes: most never need one. */
const ALONE = '';

/** Appends an action of a user; false for a repeat, which is passed over. Only for the write in which it was made. */
type InsertAction = (action: EpisodeAction, place: UploadPlace) => boolean;

export function createActionTable(database: Database): (user: UserId) => InsertAction {
  // Values by place: to look them up by name takes longer than to store them.
  const insert = database.prepare(
    `INSERT INTO actions (
       user_id, stamp, place, podcast, episode, device, guid, action, timestamp,
       position, started, total, fingerprint, uploaded_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (user_id, timestamp, fingerprint) DO NOTHING`,
  );
  const newestOf = database.prepare<{ at: Seconds | null }>(
    'SELECT max(timestamp) AS at FROM actions WHERE user_id = @user',
  );
  const find = database.prepare<ActionRow>(
    'SELECT * FROM actions WHERE user_id = @user AND timestamp = @timestamp AND fingerprint = @alone',
  );
  const mark = database.prepare(
    `UPDATE actions SET fingerprint = @fingerprint
     WHERE user_id = @user AND timestamp = @timestamp AND fingerprint = @alone`,
  );

  const markFirst = (user: UserId, timestamp: Seconds): void => {
    const first = find.get({ user, timestamp, alone: ALONE });
    if (first) mark.run({ user, timestamp, alone: ALONE, fingerprint: createFingerprint(toAction(first, null)) });
  };

  return (user) => {
    let newest = newestOf.get({ user })!.at ?? -1;
    return (action, { stamp, place, uploadedAt }) => {
      const { podcast, episode, device, guid, timestamp, play } = action;
      const isAlone = timestamp > newest;
      if (isAlone) newest = timestamp;
      else markFirst(user, timestamp);
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
        isAlone ? ALONE : createFingerprint(action),
        uploadedAt,
      ]);
      return changes > 0;
    };
  };
}

const createFingerprint = (action: EpisodeAction): string => fingerprint(action, 'base64').slice(0, FINGERPRINT);
