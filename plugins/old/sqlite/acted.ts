import type { Stamp } from '../../../src/old-plugin.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import type { Database } from './database.ts';

/** Actions that are taken in one go, and with the last of them the rest of its upload. */
const SLICE = 2000;

/**
 * Names of the episodes that anyone ever acted on, URLs or GUIDs. They lie all over the file: an upload that noted its
 * own would write a page for every action. So they are taken from the histories, and only when they are asked for,
 * which is seldom. Each user has the stamp up to which that is done, `noted`.
 */
export interface Acted {
  /** Takes all that was stored up to now, slice after slice among the writes of others. */
  settle(): Promise<void>;
  /** Whether anyone acted on an episode by one of its names, as far as is settled. To be called inside a write. */
  has(podcast: PodcastId, names: readonly string[]): boolean;
}

interface End {
  user: number;
  stamp: Stamp;
}

const ALL: End = { user: Number.MAX_SAFE_INTEGER, stamp: 0 };

export function createActed(database: Database): Acted {
  // CROSS JOIN: for each of these users one range of the primary key.
  const NEWS = 'users CROSS JOIN actions ON user_id = users.id AND users.stamp > noted AND actions.stamp > noted';
  const end = database.prepare<End>(
    `SELECT user_id AS user, actions.stamp AS stamp FROM ${NEWS}
     ORDER BY users.id, actions.stamp LIMIT 1 OFFSET ${SLICE - 1}`,
  );
  const note = database.prepare(
    `WITH told AS MATERIALIZED (
       SELECT podcast_id, episode, guid FROM ${NEWS} CROSS JOIN podcast_urls ON url = podcast
       WHERE users.id <= @user AND actions.stamp <= iif(users.id < @user, users.stamp, @stamp)
     )
     INSERT OR IGNORE INTO acted (podcast_id, name)
     SELECT podcast_id, crc32(episode) FROM told
     UNION SELECT podcast_id, crc32(guid) FROM told WHERE guid IS NOT NULL`,
  );
  const setNoted = database.prepare(
    'UPDATE users SET noted = iif(id < @user, stamp, @stamp) WHERE id <= @user AND stamp > noted',
  );
  const has = database.prepare('SELECT 1 FROM acted WHERE podcast_id = @podcast AND name = crc32(@name)');

  /** False when there is nothing left. */
  const noteSlice = (): boolean => {
    const found = end.get({});
    note.run({ ...(found ?? ALL) });
    setNoted.run({ ...(found ?? ALL) });
    return found !== undefined;
  };

  return {
    async settle() {
      while (await database.write(noteSlice));
    },
    has: (podcast, names) => names.some((name) => has.get({ podcast, name }) !== undefined),
  };
}
