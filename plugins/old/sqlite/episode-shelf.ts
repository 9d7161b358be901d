import { type EpisodeInfo, type ExportedEpisode, nextStamp, type Stamp, type Url } from '../../../src/old-plugin.ts';
import { EPISODES_KEPT } from '../directory-rules.ts';
import { worthKeeping } from '../kept-episodes.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import { createFinder, type Named } from '../sql/same-episode.ts';
import type { Acted } from './acted.ts';
import type { Database } from './database.ts';

/** Newest first; as the index has it. */
export const NEWEST_FIRST = 'ifnull(released_at, 0) DESC, stamp DESC, place';

/** The episodes of the podcasts. All of it to be called inside a write. */
export interface EpisodeShelf {
  /** Whether one podcast made of these may come to more episodes than are kept, when its feed tells so many now. */
  mayOutgrow(podcasts: readonly PodcastId[], told: number): boolean;
  /** Takes in what a feed tells now, and lets go of what is too old. Where `mayOutgrow`, settle `acted` before. */
  add(podcast: PodcastId, told: readonly EpisodeInfo[]): void;
  /**
   * Takes in the episodes of another storage, in place of those known that are the same. Lets go of none: who acted on
   * an old one may be imported later.
   */
  import(podcast: PodcastId, episodes: readonly ExportedEpisode[]): void;
  /** Gives one podcast the episodes of another that it has not, and the URLs there of those that it has. */
  unite(podcast: PodcastId, from: PodcastId): void;
}

export function createEpisodeShelf(database: Database, acted: Acted): EpisodeShelf {
  const byGuid = database.prepare<{ id: number }>(
    'SELECT id FROM episodes WHERE podcast_id = @podcast AND guid = @guid',
  );
  const byUrl = database.prepare<{ id: number; guid: string | null }>(
    `SELECT id, guid FROM episode_urls JOIN episodes ON episodes.id = episode_id
     WHERE episode_urls.podcast_id = @podcast AND episode_urls.url = @url`,
  );
  const insert = database.prepare<{ id: number }>(
    `INSERT INTO episodes (podcast_id, url, guid, title, description, website, released_at, stamp, place)
     VALUES (@podcast, @url, @guid, @title, @description, @website, @releasedAt, @stamp, @place) RETURNING id`,
  );
  const update = database.prepare(
    `UPDATE episodes SET url = @url, guid = @guid, title = @title, description = @description, website = @website,
       released_at = @releasedAt
     WHERE id = @id
     AND (url, guid, title, description, website, released_at)
       IS NOT (@url, @guid, @title, @description, @website, @releasedAt)`,
  );
  const addUrl = database.prepare(
    `INSERT INTO episode_urls (podcast_id, url, episode_id) VALUES (@podcast, @url, @id)
     ON CONFLICT DO UPDATE SET episode_id = excluded.episode_id WHERE episode_id <> excluded.episode_id`,
  );
  const addFormerUrl = database.prepare(
    'INSERT OR IGNORE INTO episode_urls (podcast_id, url, episode_id) VALUES (@podcast, @url, @id)',
  );
  const raiseStamp = database.prepare(
    `UPDATE directory SET stamp = max(stamp, ifnull((SELECT max(stamp) FROM episodes WHERE podcast_id = @podcast), 0))`,
  );
  const all = database.prepare<{ id: number; url: Url; guid: string | null }>(
    'SELECT id, url, guid FROM episodes WHERE podcast_id = @podcast',
  );
  const move = database.prepare('UPDATE episodes SET podcast_id = @podcast WHERE id = @id');
  const moveUrls = database.prepare(
    'UPDATE OR IGNORE episode_urls SET podcast_id = @podcast, episode_id = @heir WHERE episode_id = @id',
  );
  const forgetUrls = database.prepare('DELETE FROM episode_urls WHERE podcast_id = @from');
  const raise = database.prepare(
    'UPDATE episodes SET stamp = max(stamp, (SELECT stamp FROM episodes WHERE id = @id)) WHERE id = @heir',
  );
  const tooOld = database.prepare<{ id: number; guid: string | null }>(
    `SELECT id, guid FROM episodes WHERE podcast_id = @podcast ORDER BY ${NEWEST_FIRST} LIMIT -1 OFFSET ${EPISODES_KEPT}`,
  );
  const urlsOf = database.prepare<{ url: Url }>('SELECT url FROM episode_urls WHERE episode_id = @id');
  const remove = database.prepare('DELETE FROM episodes WHERE id = @id');
  const beyond = database.prepare(
    `SELECT 1 FROM episodes WHERE podcast_id IN (SELECT value FROM json_each(@podcasts)) LIMIT 1 OFFSET @room`,
  );
  const stamp = database.prepare<{ stamp: Stamp }>('SELECT stamp FROM directory');
  const setStamp = database.prepare('UPDATE directory SET stamp = @stamp');

  /**
   * By GUID, else by any URL that it had. `told`: the URL that the feed has for each GUID now. An episode that has
   * moved leaves its old URL to others.
   */
  const find = (
    podcast: PodcastId,
    { url, guid }: Named,
    told?: ReadonlyMap<string | undefined, Url>,
  ): number | undefined => {
    const same = byGuid.get({ podcast, guid: guid ?? null });
    if (same) return same.id;
    const had = byUrl.get({ podcast, url });
    return !had?.guid || (told?.get(had.guid) ?? url) === url ? had?.id : undefined;
  };

  /** Lets go of an episode that another one stands for now. */
  const leaveTo = (podcast: PodcastId, id: number, heir: number): void => {
    moveUrls.run({ podcast, id, heir });
    raise.run({ id, heir }); // whoever was still to be told of it must not have a mark above it
    remove.run({ id });
  };

  const letGo = (podcast: PodcastId): void => {
    for (const { id, guid } of tooOld.all({ podcast })) {
      const names = urlsOf.all({ id }).map(({ url }) => url);
      if (!acted.has(podcast, guid === null ? names : [guid, ...names])) remove.run({ id });
    }
  };

  return {
    mayOutgrow: (podcasts, told) =>
      told > EPISODES_KEPT ||
      beyond.get({ podcasts: JSON.stringify(podcasts), room: EPISODES_KEPT - told }) !== undefined,

    add(podcast, told) {
      const next = nextStamp(database.context.now(), stamp.get({})!.stamp);
      const urls = new Map(told.map(({ guid, url }) => [guid, url]));
      const seen = new Set<number>();
      for (const [place, info] of worthKeeping(told, (names) => acted.has(podcast, names)).entries()) {
        const row = { ...info, podcast, guid: info.guid ?? null, releasedAt: info.releasedAt ?? null };
        const known = find(podcast, info, urls);
        if (known !== undefined && seen.has(known)) continue; // the feed has it twice
        if (known !== undefined) update.run({ ...row, id: known });
        const id = known ?? insert.get({ ...row, stamp: next, place })!.id;
        if (known === undefined) setStamp.run({ stamp: next });
        addUrl.run({ podcast, url: info.url, id });
        seen.add(id);
      }
      letGo(podcast);
    },

    import(podcast, episodes) {
      const before = all.all({ podcast });
      const ids = new Map<ExportedEpisode, number>();
      for (const [place, episode] of episodes.entries()) {
        const { formerUrls: _, ...info } = episode;
        const row = { ...info, podcast, guid: info.guid ?? null, releasedAt: info.releasedAt ?? null, place };
        ids.set(episode, insert.get(row)!.id);
      }
      const findSame = createFinder(episodes);
      for (const { id, ...named } of before) {
        const same = findSame(named);
        if (same) leaveTo(podcast, id, ids.get(same)!);
      }
      for (const [{ url }, id] of ids) addUrl.run({ podcast, url, id });
      for (const [{ formerUrls }, id] of ids) for (const url of formerUrls) addFormerUrl.run({ podcast, url, id });
      raiseStamp.run({ podcast });
    },

    unite(podcast, from) {
      for (const { id, ...named } of all.all({ podcast: from })) {
        const same = find(podcast, named);
        if (same !== undefined) leaveTo(podcast, id, same);
        else {
          moveUrls.run({ podcast, id, heir: id });
          move.run({ podcast, id });
        }
      }
      forgetUrls.run({ from }); // those that other episodes have here
    },
  };
}
