import type { UserId } from '../../../src/old-plugin.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Stamps } from './stamps.ts';

/** Actions that are taken in one go, and with the last of them the rest of its upload. */
const SLICE = 2000;

/**
 * Names of the episodes that anyone ever acted on, URLs or GUIDs. They lie all over an index: an upload that noted its
 * own would take twice as long, and wait for others that act on the same episodes. So they are taken from the
 * histories, and only when they are asked for, which is seldom. Each user has the stamp up to which that is done,
 * `noted`.
 */
export interface Acted {
  /** Takes all that was stored up to now, slice after slice among the writes of others. Several may do so at once. */
  settle(): Promise<void>;
  /** Answers a test of an episode's names: whether anyone acted on it by one of them, as far as is settled. */
  on(
    connection: Connection,
    podcast: PodcastId,
    names: readonly string[],
  ): Promise<(names: readonly string[]) => boolean>;
}

export function createActed(database: Database, stamps: Stamps): Acted {
  const pending = database.prepare<{ user: UserId }>('SELECT id::text AS user FROM users WHERE stamp > noted');
  // In one order, so that two never wait for each other.
  const note = database.prepare<{ isMore: boolean }>(
    `WITH slice AS (
       SELECT id, noted, coalesce(
         (SELECT actions.stamp FROM actions WHERE user_id = id AND actions.stamp > noted
          ORDER BY actions.stamp, place OFFSET ${SLICE - 1} LIMIT 1),
         stamp
       ) AS until
       FROM users WHERE id = @user AND stamp > noted
     ), told AS (
       SELECT key_of(podcast) AS podcast_key, episode, guid FROM slice JOIN actions ON user_id = id
       AND stamp > noted AND stamp <= until
     ), taken AS (
       INSERT INTO acted (podcast_key, name_key)
       SELECT DISTINCT podcast_key, key_of(name) AS name_key
       FROM told CROSS JOIN LATERAL (VALUES (episode), (guid)) AS named(name) WHERE name IS NOT NULL
       ORDER BY podcast_key, name_key ON CONFLICT DO NOTHING
     )
     UPDATE users SET noted = until FROM slice WHERE users.id = slice.id RETURNING until < stamp AS "isMore"`,
  );
  const find = database.prepare<{ name: string }>(
    `SELECT name FROM unnest(@names::text[]) AS name WHERE EXISTS (
       SELECT 1 FROM podcast_urls JOIN acted ON podcast_key = url_key
       WHERE podcast_id = @id AND name_key = key_of(name)
     )`,
  );

  /** False when there is nothing left. */
  const noteSlice = async (connection: Connection, user: UserId): Promise<boolean> => {
    // Under the lock no upload of the user is under way, and a second caller sees what the first has noted.
    if (!(await stamps.tryLockUser(connection, user))) return false;
    return (await note.get(connection, { user }))?.isMore ?? false;
  };

  return {
    async settle() {
      const users = await database.read((connection) => pending.all(connection, {}));
      for (const { user } of users) while (await database.write((connection) => noteSlice(connection, user)));
    },
    async on(connection, id, names) {
      const rows = names.length === 0 ? [] : await find.all(connection, { id, names });
      const found = new Set(rows.map(({ name }) => name));
      return (each) => each.some((name) => found.has(name));
    },
  };
}
