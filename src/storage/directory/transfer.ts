import { compareText } from '../../domain/text-order.ts';
import { type PodcastPart, toParts } from '../directory-parts.ts';
import type { DirectoryRecord, ExportedEpisode } from '../stores.ts';
import type { PodcastChange } from './change.ts';
import type { Directory } from './directory.ts';
import { replaceEpisodes } from './episode-store.ts';
import { keptEpisodes, mergeEpisodes, type PlacedEpisode, type StoredEpisode, UNPLACED } from './episodes.ts';
import { type StoredPodcast, urlsOf } from './podcast.ts';
import { unplaced } from './reading.ts';

/** All of the directory, one podcast a page. What has moved meanwhile comes where the URL that it had would be. */
export async function* exportDirectory(directory: Directory): AsyncGenerator<DirectoryRecord[]> {
  const { memory } = directory;
  const tags = memory.tags.titles(memory.all().flatMap((podcast) => podcast.tags));
  if (tags.length > 0) {
    yield tags.toSorted((a, b) => compareText(a.tag, b.tag)).map((tag) => ({ kind: 'tag', ...tag }));
  }

  const urls = memory.all().map(({ url }) => url);
  /** As they were then: one that another was merged with since comes again. */
  const exported = new Set<StoredPodcast>();
  for (const url of urls.toSorted(compareText)) {
    const { podcast, episodes } = await directory.withEpisodes(url);
    if (!podcast || exported.has(podcast)) continue;
    exported.add(podcast);
    yield [toPodcastRecord(podcast), ...toEpisodeRecords(episodes)];
  }

  const toplists = memory.toplist.kept.filter((kept) => kept.urls.length > 0);
  const shown = (url: string): string => memory.find(url)?.url ?? url;
  if (toplists.length > 0) yield toplists.map((kept) => ({ kind: 'toplist', at: kept.at, urls: kept.urls.map(shown) }));
}

function toPodcastRecord(podcast: StoredPodcast): DirectoryRecord {
  const { url, feed, formerUrls, newestEpisode: _, address: __, version: ___, ...info } = podcast;
  return { kind: 'podcast', url, info, feed, formerUrls: formerUrls.toSorted(compareText) };
}

/** A URL goes to the episode that has it now, else to the first of those that had it: they may come from several feeds. */
function toEpisodeRecords(episodes: readonly PlacedEpisode[]): DirectoryRecord[] {
  const taken = new Set(episodes.map(({ url }) => url));
  return episodes.map((placed) => {
    const { formerUrls = [], chunk: _, ...episode } = placed;
    const own = formerUrls.filter((url) => !taken.has(url));
    for (const url of own) taken.add(url);
    return { kind: 'episode', episode: { ...episode, formerUrls: own.toSorted(compareText) } };
  });
}

/** Adds records to the directory, one podcast a step. */
export async function importDirectory(directory: Directory, records: AsyncIterable<DirectoryRecord[]>): Promise<void> {
  const { toplist } = directory.memory;
  for await (const part of toParts(records)) {
    if (part.kind === 'podcast') await directory.change(() => decide(directory, part));
    else if (part.kind === 'tag') await directory.addTag({ tag: part.tag, title: part.title });
    else {
      const urls = part.urls.filter((url) => directory.memory.find(url));
      await directory.changeToplists(() => toplist.keptWithOther({ at: part.at, urls }));
    }
  }
}

/** Nothing where the podcast was read here later. */
async function decide(directory: Directory, part: PodcastPart): Promise<PodcastChange | undefined> {
  const { url, info, feed, formerUrls } = part;
  const replaces = [...new Set([url, ...formerUrls].flatMap((each) => directory.memory.find(each) ?? []))];
  if (replaces.some((here) => (here.feed.fetchedAt ?? -1) >= (feed.fetchedAt ?? 0))) return undefined;

  const known = await Promise.all(replaces.map((here) => directory.episodes.read(here)));
  const merged = known.reduce((all, here) => mergeEpisodes(all, unplaced(here)), part.episodes.map(toPlaced));
  const after = keptEpisodes(merged);
  const newest = after.reduce((max, { stamp }) => Math.max(max, stamp), 0);
  const former = new Set([...formerUrls, ...replaces.flatMap(urlsOf)]);
  former.delete(url);
  const podcast = { ...info, url, formerUrls: [...former], feed };
  return {
    podcast: after.length > 0 ? { ...podcast, newestEpisode: newest } : podcast,
    replaces,
    episodes: replaceEpisodes(url, replaces, known, after),
  };
}

function toPlaced({ formerUrls, ...episode }: ExportedEpisode): PlacedEpisode {
  const stored: StoredEpisode = formerUrls.length > 0 ? { ...episode, formerUrls } : episode;
  return { ...stored, chunk: UNPLACED };
}
