import type { UserId } from '../../../src/old-plugin.ts';
import type { PodcastRow } from '../sql/podcast-row.ts';
import { SUGGESTIONS } from '../sql/suggestions.ts';
import type { Database } from './database.ts';

/** What a user might like: what like-minded people have, then what has the same tags, then what everybody has. */
export function createSuggestions(database: Database): (user: UserId, limit: number) => PodcastRow[] {
  const sources = SUGGESTIONS.map((sql) => database.prepare<PodcastRow>(sql));
  return (user, limit) => {
    const chosen = new Map<number, PodcastRow>();
    for (const source of sources) {
      if (chosen.size >= limit) break;
      for (const row of source.all({ user, limit: limit + chosen.size })) {
        if (chosen.size < limit && !chosen.has(row.id)) chosen.set(row.id, row);
      }
    }
    return [...chosen.values()];
  };
}
