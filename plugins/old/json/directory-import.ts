import type { ExportedEpisode, PodcastPart, Url } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';
import type { StoredPodcast } from './shard.ts';
import { type ShelvedEpisode, sortShelf, unite } from './shelf.ts';
import { otherShelf } from './shelves.ts';

/** Stores a podcast, unless it was read here later. To be called in the line of the directory. */
export async function importPodcast(database: Database, podcast: PodcastPart): Promise<void> {
  const { directory, shelves } = database;
  const { url, formerUrls, feed } = podcast;
  const known = [...new Set([url, ...formerUrls].flatMap((each) => directory.find(each) ?? []))];
  if (known.some((here) => (here.feed.fetchedAt ?? -1) >= (feed.fetchedAt ?? 0))) return;

  let episodes = podcast.episodes.map(toShelved);
  for (const here of known) episodes = unite(episodes, await shelves.read(here));
  // Not cut down to those worth keeping: who acted on an old one may be imported later.
  episodes = sortShelf(episodes);
  const stored = settle(podcast, known, episodes);
  if (episodes.length > 0) await shelves.write(stored, episodes);
  await database.write({ directory: [{ kind: 'podcast', podcast: stored }] });
  for (const here of known) await shelves.remove(here);
}

function settle({ url, info, feed, formerUrls }: PodcastPart, known: StoredPodcast[], episodes: ShelvedEpisode[]) {
  const former = new Set<Url>([...formerUrls, ...known.flatMap((here) => [here.url, ...here.formerUrls])]);
  former.delete(url);
  const newestEpisode = episodes.reduce((newest, { stamp }) => Math.max(newest, stamp), 0);
  const podcast: StoredPodcast = { ...info, url, feed, formerUrls: [...former] };
  const shelf = otherShelf(known.find((here) => here.url === url));
  return episodes.length > 0 ? { ...podcast, newestEpisode, shelf } : podcast;
}

const toShelved = ({ formerUrls, ...episode }: ExportedEpisode): ShelvedEpisode =>
  formerUrls.length > 0 ? { ...episode, formerUrls } : episode;
