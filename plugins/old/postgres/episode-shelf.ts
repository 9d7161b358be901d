import { type EpisodeInfo, type ExportedEpisode, nextStamp, type Url } from '../../../src/old-plugin.ts';
import { EPISODES_KEPT } from '../directory-rules.ts';
import { namesOf, worthKeeping } from '../kept-episodes.ts';
import type { PodcastId } from '../sql/podcast-row.ts';
import { createFinder, type Named } from '../sql/same-episode.ts';
import type { Acted } from './acted.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import type { Stamps } from './stamps.ts';
import { fromStored } from './text.ts';

/** Newest first; as the index has it. */
export const NEWEST_FIRST = 'coalesce(released_at, 0) DESC, stamp DESC, place';

/** The episodes of the podcasts. All of it to be called inside a write, with the podcasts locked. */
export interface EpisodeShelf {
  /** Whether one podcast made of these may come to more episodes than are kept, when its feed tells so many now. */
  mayOutgrow(connection: Connection, podcasts: readonly PodcastId[], told: number): Promise<boolean>;
  /** Takes in what a feed tells now, and lets go of what is too old. Where `mayOutgrow`, settle `acted` before. */
  add(connection: Connection, podcast: PodcastId, told: readonly EpisodeInfo[]): Promise<void>;
  /**
   * Takes in the episodes of another storage, in place of those known that are the same. Lets go of none: who acted on
   * an old one may be imported later.
   */
  import(connection: Connection, podcast: PodcastId, episodes: readonly ExportedEpisode[]): Promise<void>;
  /** Gives one podcast the episodes of another that it has not, and the URLs there of those that it has. */
  unite(connection: Connection, podcast: PodcastId, from: PodcastId): Promise<void>;
}

/** An episode that a feed tells of. */
interface Entry {
  /** Undefined for a new one. */
  id: number | undefined;
  guid: string | null;
}
interface Known extends Entry {
  id: number;
}
interface Told {
  entry: Entry;
  info: EpisodeInfo;
}

export function createEpisodeShelf(database: Database, stamps: Stamps, acted: Acted): EpisodeShelf {
  const byGuid = database.prepare<Known & { guid: string }>(
    `SELECT id, guid FROM episodes
     WHERE podcast_id = @podcast AND guid_key IN (SELECT key_of(guid) FROM unnest(@guids::text[]) AS guid)`,
  );
  const byUrl = database.prepare<Known & { url: Url }>(
    `SELECT episode_id AS id, episode_urls.url AS url, guid FROM episode_urls JOIN episodes ON episodes.id = episode_id
     WHERE episode_urls.podcast_id = @podcast
     AND episode_urls.url_key IN (SELECT key_of(url) FROM unnest(@urls::text[]) AS url)`,
  );
  const FIELDS = 'url, guid, title, description, website, released_at';
  const ROWS = `unnest(
    @urls::text[], @guids::text[], @titles::text[], @descriptions::text[], @websites::text[], @releases::bigint[]
  )`;
  const insert = database.prepare<{ id: number; place: number }>(
    `INSERT INTO episodes (podcast_id, ${FIELDS}, stamp, place)
     SELECT @podcast, ${FIELDS}, stamp, number - 1
     FROM ${ROWS} WITH ORDINALITY AS told(${FIELDS}, number)
     JOIN unnest(@stamps::bigint[]) WITH ORDINALITY AS seen(stamp, number) USING (number)
     ORDER BY number RETURNING id, place`,
  );
  const update = database.prepare(
    `UPDATE episodes SET (${FIELDS}) = (SELECT told.url, told.guid, told.title, told.description, told.website, told.released_at)
     FROM (SELECT * FROM unnest(@ids::bigint[]) WITH ORDINALITY AS known(id, number)
       JOIN ${ROWS} WITH ORDINALITY AS told(${FIELDS}, number) USING (number)) AS told
     WHERE episodes.id = told.id
     AND (episodes.url, episodes.guid, episodes.title, episodes.description, episodes.website, episodes.released_at)
       IS DISTINCT FROM (told.url, told.guid, told.title, told.description, told.website, told.released_at)`,
  );
  const addUrls = database.prepare(
    `INSERT INTO episode_urls (podcast_id, url, episode_id)
     SELECT @podcast, url, id FROM unnest(@urls::text[], @ids::bigint[]) AS known(url, id)
     ON CONFLICT (podcast_id, url_key) DO UPDATE SET episode_id = excluded.episode_id
     WHERE episode_urls.episode_id <> excluded.episode_id`,
  );
  const addFormerUrls = database.prepare(
    `INSERT INTO episode_urls (podcast_id, url, episode_id)
     SELECT @podcast, url, id FROM unnest(@urls::text[], @ids::bigint[]) AS known(url, id) ON CONFLICT DO NOTHING`,
  );
  const all = database.prepare<Known & { url: Url }>('SELECT id, url, guid FROM episodes WHERE podcast_id = @podcast');
  const move = database.prepare('UPDATE episodes SET podcast_id = @podcast WHERE id = ANY(@ids::bigint[])');
  const moveUrls = database.prepare(
    `UPDATE episode_urls SET podcast_id = @podcast, episode_id = heir
     FROM unnest(@ids::bigint[], @heirs::bigint[]) AS left_to(id, heir)
     WHERE episode_id = left_to.id AND (
       podcast_id = @podcast OR url_key NOT IN (SELECT url_key FROM episode_urls WHERE podcast_id = @podcast)
     )`,
  );
  const forgetUrls = database.prepare('DELETE FROM episode_urls WHERE podcast_id = @from');
  // Whoever was still to be told of it must not have a mark above it afterwards.
  const raise = database.prepare(
    `UPDATE episodes SET stamp = newest.stamp
     FROM (SELECT heir, max(stamp) AS stamp FROM unnest(@ids::bigint[], @heirs::bigint[]) AS left_to(id, heir)
       JOIN episodes USING (id) GROUP BY heir) AS newest
     WHERE episodes.id = newest.heir AND episodes.stamp < newest.stamp`,
  );
  const tooOld = database.prepare<{ id: number; names: string[] | null }>(
    `SELECT id, (
       SELECT json_agg(name) FROM (
         SELECT url AS name FROM episode_urls WHERE episode_id = old.id UNION ALL SELECT old.guid WHERE old.guid IS NOT NULL
       ) AS named
     ) AS names
     FROM (SELECT id, guid FROM episodes WHERE podcast_id = @podcast ORDER BY ${NEWEST_FIRST} OFFSET ${EPISODES_KEPT}) AS old`,
  );
  const beyond = database.prepare(
    'SELECT 1 FROM episodes WHERE podcast_id = ANY(@podcasts::bigint[]) LIMIT 1 OFFSET @room',
  );
  const remove = database.prepare('DELETE FROM episodes WHERE id = ANY(@ids::bigint[])');

  /** Those of the episodes that are known, by GUID and by any URL that they had. */
  const readKnown = async (connection: Connection, podcast: PodcastId, named: readonly Named[]) => {
    const sameGuid = await byGuid.all(connection, { podcast, guids: named.flatMap(({ guid }) => guid ?? []) });
    const sameUrl = await byUrl.all(connection, { podcast, urls: named.map(({ url }) => url) });
    const entries = new Map<number, Entry>([...sameUrl, ...sameGuid].map(({ id, guid }) => [id, { id, guid }]));
    return {
      ofGuid: new Map(sameGuid.map(({ guid, id }) => [guid, entries.get(id)!])),
      ofUrl: new Map(sameUrl.map(({ url, id }) => [url, entries.get(id)!])),
    };
  };

  /**
   * Tells which episodes are known: by GUID, else by URL. One that has moved leaves its old URL to others. Of two that
   * are the same in one feed the first counts.
   */
  const identify = async (
    connection: Connection,
    podcast: PodcastId,
    infos: readonly EpisodeInfo[],
  ): Promise<Told[]> => {
    const { ofGuid, ofUrl } = await readKnown(connection, podcast, infos);
    const urls = new Map(infos.map(({ guid, url }) => [guid, url]));
    const told = new Map<Entry, Told>();
    for (const info of infos) {
      const { url, guid } = info;
      const had = ofUrl.get(url);
      const isThere = !had?.guid || (urls.get(had.guid) ?? url) === url;
      const same = (guid === undefined ? undefined : ofGuid.get(guid)) ?? (isThere ? had : undefined);
      const entry = same ?? { id: undefined, guid: null };
      if (told.has(entry)) continue;
      told.set(entry, { entry, info });
      if (entry.guid !== null) ofGuid.delete(entry.guid);
      entry.guid = guid ?? null;
      if (guid !== undefined) ofGuid.set(guid, entry);
      ofUrl.set(url, entry);
    }
    return [...told.values()];
  };

  const openFinder = async (connection: Connection, podcast: PodcastId, named: readonly Named[]) => {
    const { ofGuid, ofUrl } = await readKnown(connection, podcast, named);
    return ({ guid, url }: Named): number | undefined => ((guid ? ofGuid.get(guid) : undefined) ?? ofUrl.get(url))?.id;
  };

  const setUrls = async (
    connection: Connection,
    podcast: PodcastId,
    ids: ReadonlyMap<Url, number | undefined>,
  ): Promise<void> => {
    await addUrls.run(connection, { podcast, urls: [...ids.keys()], ids: [...ids.values()] });
  };

  const letGo = async (connection: Connection, podcast: PodcastId): Promise<void> => {
    const rows = await tooOld.all(connection, { podcast });
    if (rows.length === 0) return;
    const old = rows.map(({ id, names }) => ({ id, names: (names ?? []).map(fromStored) }));
    const isActed = await acted.on(
      connection,
      podcast,
      old.flatMap(({ names }) => names),
    );
    await remove.run(connection, { ids: old.filter(({ names }) => !isActed(names)).map(({ id }) => id) });
  };

  return {
    mayOutgrow: async (connection, podcasts, told) =>
      told > EPISODES_KEPT || (await beyond.run(connection, { podcasts, room: EPISODES_KEPT - told })) > 0,

    async add(connection, podcast, told) {
      const isActed = await acted.on(connection, podcast, told.length <= EPISODES_KEPT ? [] : told.flatMap(namesOf));
      const found = await identify(connection, podcast, worthKeeping(told, isActed));
      const known = found.filter(({ entry }) => entry.id !== undefined);
      const fresh = found.filter(({ entry }) => entry.id === undefined);
      await update.run(connection, {
        ids: known.map(({ entry }) => entry.id),
        ...toColumns(known.map(({ info }) => info)),
      });
      if (fresh.length > 0) {
        const { at, last } = await stamps.holdDirectory(connection);
        const stamp = nextStamp(at, last);
        for (const { id, place } of await insert.all(connection, {
          podcast,
          stamps: fresh.map(() => stamp),
          ...toColumns(fresh.map(({ info }) => info)),
        })) {
          fresh[place]!.entry.id = id;
        }
        await stamps.setDirectory(connection, stamp);
      }
      await setUrls(connection, podcast, new Map(found.map(({ info, entry }) => [info.url, entry.id])));
      await letGo(connection, podcast);
    },

    async import(connection, podcast, episodes) {
      const before = await all.all(connection, { podcast });
      const rows = { stamps: episodes.map((each) => each.stamp), ...toColumns(episodes) };
      const inserted = await insert.all(connection, { podcast, ...rows });
      const ids = new Map(inserted.map(({ place, id }) => [episodes[place]!, id]));
      const findSame = createFinder(episodes);
      const same = before.map((known) => findSame(known));
      const gone = before.flatMap(({ id }, at) => (same[at] ? id : []));
      const heirs = same.flatMap((each) => (each ? ids.get(each) : []));
      await moveUrls.run(connection, { podcast, ids: gone, heirs });
      await raise.run(connection, { ids: gone, heirs });
      await remove.run(connection, { ids: gone });
      await setUrls(connection, podcast, new Map(episodes.map((each) => [each.url, ids.get(each)])));
      await addFormerUrls.run(connection, {
        podcast,
        urls: episodes.flatMap(({ formerUrls }) => formerUrls),
        ids: episodes.flatMap((each) => each.formerUrls.map(() => ids.get(each))),
      });
      const { last } = await stamps.holdDirectory(connection);
      await stamps.setDirectory(connection, Math.max(last, ...rows.stamps));
    },

    async unite(connection, podcast, from) {
      const rows = await all.all(connection, { podcast: from });
      const find = await openFinder(connection, podcast, rows);
      const same = rows.map((row) => find(row));
      const ids = rows.map(({ id }) => id);
      const heirs = ids.map((id, at) => same[at] ?? id);
      await moveUrls.run(connection, { podcast, ids, heirs });
      await raise.run(connection, { ids, heirs });
      await move.run(connection, { podcast, ids: ids.filter((_, at) => same[at] === undefined) });
      await remove.run(connection, { ids: ids.filter((_, at) => same[at] !== undefined) });
      await forgetUrls.run(connection, { from }); // those that other episodes have here
    },
  };
}

const toColumns = (infos: readonly EpisodeInfo[]): Record<string, unknown> => ({
  urls: infos.map(({ url }) => url),
  guids: infos.map(({ guid }) => guid),
  titles: infos.map(({ title }) => title),
  descriptions: infos.map(({ description }) => description),
  websites: infos.map(({ website }) => website),
  releases: infos.map(({ releasedAt }) => releasedAt),
});
