import { crc32 } from 'node:zlib';
import type { EpisodeAction } from '../../src/plugin.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { PodcastId } from '../sql/podcast-row.ts';

/** So many names go to their places together. */
const TOGETHER = 50_000;

/** Of whoever puts them there: `acts` in ASCII. */
const LOCK = 0x61637473;

/**
 * Names of the episodes that anyone ever acted on, URLs or GUIDs. The place of each is somewhere in an index, and an
 * upload that went there at once would take twice as long, and wait for others that act on the same episode. So names lie
 * in a row first, until they are many.
 */
export interface Acted {
  /** To be called inside a write. */
  note(connection: Connection, actions: readonly EpisodeAction[]): Promise<void>;
  /** Answers whether anyone ever acted on an episode by one of its names. */
  on(
    connection: Connection,
    podcast: PodcastId,
    names: readonly string[],
  ): Promise<(names: readonly string[]) => boolean>;
  /** To be called after the write: puts names in their places, when they are many. Nobody waits for it. */
  tidy(): void;
}

export function createActed(database: Database): Acted {
  const note = database.prepare(
    `INSERT INTO acted_lately (podcast_key, name)
     SELECT key_of(podcast), name FROM unnest(@podcasts::text[], @names::integer[]) AS told(podcast, name)`,
  );
  // One node at a time: so nothing gets in between, which is much quicker than to look out for it.
  const lock = database.prepare<{ isFree: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK}) AS "isFree"`);
  const settle = database.prepare(
    `WITH lately AS (DELETE FROM acted_lately RETURNING podcast_key, name)
     INSERT INTO acted (podcast_key, name) SELECT DISTINCT podcast_key, name FROM lately
     WHERE NOT EXISTS (SELECT 1 FROM acted WHERE acted.podcast_key = lately.podcast_key AND acted.name = lately.name)
     ORDER BY podcast_key, name`,
  );
  const find = database.prepare<{ name: number }>(
    `WITH keys AS (SELECT url_key FROM podcast_urls WHERE podcast_id = @id)
     SELECT name FROM acted WHERE podcast_key IN (SELECT url_key FROM keys) AND name = ANY(@names::integer[])
     UNION SELECT name FROM acted_lately
     WHERE podcast_key IN (SELECT url_key FROM keys) AND name = ANY(@names::integer[])`,
  );
  /** At first, what was left by others. */
  let waiting = TOGETHER;

  return {
    async note(connection, actions) {
      if (actions.length === 0) return;
      const told = actions.flatMap(({ podcast, episode, guid = episode }) =>
        [...new Set([episode, guid])].map((name) => ({ podcast, name: shorten(name) })),
      );
      await note.run(connection, {
        podcasts: told.map(({ podcast }) => podcast),
        names: told.map(({ name }) => name),
      });
      waiting += told.length;
    },
    async on(connection, id, names) {
      const rows = names.length === 0 ? [] : await find.all(connection, { id, names: names.map(shorten) });
      const found = new Set(rows.map(({ name }) => name));
      return (each) => each.some((name) => found.has(shorten(name)));
    },
    tidy() {
      if (waiting < TOGETHER) return;
      waiting = 0;
      // What fails now is done with the next ones.
      database
        .write(async (connection) => {
          if ((await lock.get(connection, {}))!.isFree) await settle.run(connection, {});
        })
        .catch(() => undefined);
    },
  };
}

/** Enough to tell the episodes of one podcast apart: a mistake would only keep one more. Signed, as an `integer` is. */
const shorten = (name: string): number => crc32(name) | 0;
