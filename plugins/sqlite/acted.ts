import { crc32 } from 'node:zlib';
import type { Database } from './database.ts';
import type { PodcastId } from '../sql/podcast-row.ts';

/** So many names go to their places together. */
const TOGETHER = 50_000;

/**
 * Names of the episodes that anyone ever acted on, URLs or GUIDs. The place of each is on some page of the file, and an
 * upload that went there at once would write a page for every action. So names lie in a row first, until they are many,
 * or asked for. All of it to be called inside a write.
 */
export interface Acted {
  note(names: readonly (readonly [podcast: PodcastId, name: string])[]): void;
  has(podcast: PodcastId, name: string): boolean;
  /** Each name has its place from now on. */
  settle(): void;
}

export function createActed(database: Database): Acted {
  const note = database.prepare('INSERT INTO acted_lately (names) VALUES (@names)');
  const isAny = database.prepare('SELECT 1 FROM acted_lately LIMIT 1');
  const place = database.prepare(
    `INSERT OR IGNORE INTO acted (podcast_id, name)
     SELECT value ->> 0 AS podcast, value ->> 1 AS name FROM acted_lately, json_each(names) ORDER BY podcast, name`,
  );
  const empty = database.prepare('DELETE FROM acted_lately');
  const has = database.prepare('SELECT 1 FROM acted WHERE podcast_id = @podcast AND name = @name');
  let waiting = 0;

  const settle = (): void => {
    if (!isAny.get({})) return;
    place.run({});
    empty.run({});
    waiting = 0;
  };

  return {
    note(names) {
      if (names.length === 0) return;
      note.run({ names: JSON.stringify(names.map(([podcast, name]) => [podcast, shorten(name)])) });
      waiting += names.length;
      if (waiting >= TOGETHER) settle();
    },
    has(podcast, name) {
      settle();
      return has.get({ podcast, name: shorten(name) }) !== undefined;
    },
    settle,
  };
}

/** Enough to tell the episodes of one podcast apart: a mistake would only keep one more. */
const shorten = (name: string): number => crc32(name);
