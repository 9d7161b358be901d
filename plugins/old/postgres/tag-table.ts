import { createSlug } from '../../../src/old-plugin.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** Which tags there are, and how many podcasts have each. To be called inside a write, with the podcast locked. */
interface TagTable {
  /** Takes the tags of a podcast as they are now. */
  update(connection: Connection, id: PodcastId): Promise<void>;
  /** For a podcast that is about to be removed. */
  clear(connection: Connection, id: PodcastId): Promise<void>;
}

export function createTagTable(database: Database): TagTable {
  const tagsOf = database.prepare<{ tags: string }>('SELECT tags FROM podcasts WHERE id = @id');
  // Sorted, as the lock below, so that no two wait for each other.
  const meet = database.prepare(
    `INSERT INTO tags (slug, title)
     SELECT slug, title FROM unnest(@slugs::text[], @titles::text[]) AS told(slug, title) ORDER BY slug COLLATE "C"
     ON CONFLICT DO NOTHING`,
  );
  const lock = database.prepare(
    `SELECT 1 FROM tags
     WHERE slug = ANY(@slugs::text[] || ARRAY(SELECT slug FROM podcast_tags WHERE podcast_id = @id))
     ORDER BY slug FOR NO KEY UPDATE`,
  );
  const untag = database.prepare(
    `WITH gone AS (
       DELETE FROM podcast_tags WHERE podcast_id = @id AND slug <> ALL(@slugs::text[]) RETURNING slug
     )
     UPDATE tags SET usage = usage - 1 WHERE slug = ANY(ARRAY(SELECT slug FROM gone))`,
  );
  const tag = database.prepare(
    `WITH come AS (
       INSERT INTO podcast_tags (slug, podcast_id) SELECT slug, @id FROM unnest(@slugs::text[]) AS slug
       ON CONFLICT DO NOTHING RETURNING slug
     )
     UPDATE tags SET usage = usage + 1 WHERE slug = ANY(ARRAY(SELECT slug FROM come))`,
  );

  const set = async (connection: Connection, id: PodcastId, titles: ReadonlyMap<string, string>): Promise<void> => {
    const slugs = [...titles.keys()];
    await meet.run(connection, { slugs, titles: [...titles.values()] });
    await lock.run(connection, { id, slugs });
    await untag.run(connection, { id, slugs });
    await tag.run(connection, { id, slugs });
  };

  return {
    async update(connection, id) {
      const titles = JSON.parse((await tagsOf.get(connection, { id }))!.tags) as string[];
      const named = titles.map((title) => [createSlug(title), title] as const);
      // Without a letter or digit it is none. Of two with the same slug the first counts.
      await set(connection, id, new Map(named.filter(([slug]) => slug !== '').toReversed()));
    },
    clear: (connection, id) => set(connection, id, new Map()),
  };
}
