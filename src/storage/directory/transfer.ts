import { compareText } from '../../domain/text-order.ts';
import type { DirectoryRecord, ExportedEpisode } from '../stores.ts';
import type { PodcastChange } from './change.ts';
import type { Directory } from './directory.ts';
import { replaceEpisodes } from './episode-store.ts';
import { newestEpisodes, mergeEpisodes, type ChunkedEpisode, type StoredEpisode, NO_CHUNK } from './episodes.ts';
import { type StoredPodcast, urlsOf } from './podcast.ts';
import { withoutChunks } from './feed-result.ts';

/** Exports the directory, one podcast per page, sorted by URL at the start of the export. */
export async function* exportDirectory(directory: Directory): AsyncGenerator<DirectoryRecord[]> {
  const { memory } = directory;
  const tags = memory.tags.titles(memory.all().flatMap((podcast) => podcast.tags));
  if (tags.length > 0) {
    yield tags.toSorted((a, b) => compareText(a.tag, b.tag)).map((tag) => ({ kind: 'tag', ...tag }));
  }

  const urls = memory.all().map(({ url }) => url);
  /** A podcast that is merged with another one meanwhile is exported again. */
  const exported = new Set<StoredPodcast>();
  for (const url of urls.toSorted(compareText)) {
    const { podcast, episodes } = await directory.withEpisodes(url);
    if (!podcast || exported.has(podcast)) continue;
    exported.add(podcast);
    yield [toPodcastRecord(podcast), ...toEpisodeRecords(episodes)];
  }

  const toplists = memory.toplist.snapshots.filter(({ urls: ranked }) => ranked.length > 0);
  const currentUrl = (url: string): string => memory.find(url)?.url ?? url;
  if (toplists.length === 0) return;
  yield toplists.map((snapshot) => ({ kind: 'toplist', at: snapshot.at, urls: snapshot.urls.map(currentUrl) }));
}

function toPodcastRecord(podcast: StoredPodcast): DirectoryRecord {
  const { url, feed, formerUrls, newestEpisode: _, address: __, version: ___, ...info } = podcast;
  return { kind: 'podcast', url, info, feed, formerUrls: formerUrls.toSorted(compareText) };
}

/** Each URL is exported with one episode only: the one that has it now, else the first that had it. */
function toEpisodeRecords(episodes: readonly ChunkedEpisode[]): DirectoryRecord[] {
  const taken = new Set(episodes.map(({ url }) => url));
  return episodes.map((placed) => {
    const { formerUrls = [], chunk: _, ...episode } = placed;
    const own = formerUrls.filter((url) => !taken.has(url));
    for (const url of own) taken.add(url);
    return { kind: 'episode', episode: { ...episode, formerUrls: own.toSorted(compareText) } };
  });
}

/** Imports records, one podcast per commit. */
export async function importDirectory(directory: Directory, records: AsyncIterable<DirectoryRecord[]>): Promise<void> {
  const { toplist } = directory.memory;
  for await (const record of groupByPodcast(records)) {
    if (record.kind === 'podcast') await directory.change(() => decide(directory, record));
    else if (record.kind === 'tag') await directory.addTag({ tag: record.tag, title: record.title });
    else {
      const urls = record.urls.filter((url) => directory.memory.find(url));
      await directory.snapshots.change(() => toplist.withImported({ at: record.at, urls }));
    }
  }
}

/** Undefined if the feed was fetched later here. */
async function decide(directory: Directory, record: PodcastWithEpisodes): Promise<PodcastChange | undefined> {
  const { url, info, feed, formerUrls } = record;
  const replaces = [...new Set([url, ...formerUrls].flatMap((each) => directory.memory.find(each) ?? []))];
  if (replaces.some((here) => (here.feed.fetchedAt ?? -1) >= (feed.fetchedAt ?? 0))) return undefined;

  const known = await Promise.all(replaces.map((here) => directory.episodes.read(here)));
  const merged = known.reduce((all, here) => mergeEpisodes(all, withoutChunks(here)), record.episodes.map(toChunked));
  const after = newestEpisodes(merged);
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

function toChunked({ formerUrls, ...episode }: ExportedEpisode): ChunkedEpisode {
  const stored: StoredEpisode = formerUrls.length > 0 ? { ...episode, formerUrls } : episode;
  return { ...stored, chunk: NO_CHUNK };
}

/** What an import stores in one commit: a `DirectoryRecord`, with a podcast and its episodes as one. */
type GroupedRecord = Exclude<DirectoryRecord, { kind: 'podcast' | 'episode' }> | PodcastWithEpisodes;

/** A podcast with all its episodes. */
type PodcastWithEpisodes = Extract<DirectoryRecord, { kind: 'podcast' }> & { episodes: ExportedEpisode[] };

/** Groups each podcast with its episodes, across page borders. */
async function* groupByPodcast(records: AsyncIterable<DirectoryRecord[]>): AsyncGenerator<GroupedRecord> {
  let podcast: PodcastWithEpisodes | undefined;
  for await (const page of records) {
    for (const record of page) {
      if (record.kind === 'episode') {
        podcast?.episodes.push(record.episode);
        continue;
      }
      if (podcast) yield podcast;
      podcast = record.kind === 'podcast' ? { ...record, episodes: [] } : undefined;
      if (record.kind !== 'podcast') yield record;
    }
  }
  if (podcast) yield podcast;
}
