import { compareText } from '../../domain/text-order.ts';
import type { DirectoryRecord, ExportedEpisode } from '../stores.ts';
import type { Directory, PodcastChange } from './directory.ts';
import { type ChunkedEpisode, mergeEpisodes, newestEpisodes } from './episodes.ts';
import { type StoredPodcast, toInfo } from './podcast.ts';
import { addSnapshot } from './toplist-snapshots.ts';

/** Exports the directory, one podcast per page, sorted by URL at the start of the export. */
export async function* exportDirectory(directory: Directory): AsyncGenerator<DirectoryRecord[]> {
  const { memory } = directory;
  const tags = memory.tags.titles();
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

  const { snapshots } = memory.toplist;
  if (snapshots.length === 0) return;
  yield snapshots.map((snapshot) => ({ kind: 'toplist', at: snapshot.at, urls: snapshot.urls.map(memory.currentUrl) }));
}

function toPodcastRecord(podcast: StoredPodcast): DirectoryRecord {
  const { url, feed, formerUrls } = podcast;
  return { kind: 'podcast', url, info: toInfo(podcast), feed, formerUrls: formerUrls.toSorted(compareText) };
}

/** Each URL is exported with one episode only: the one that has it now, else the first that had it. */
function toEpisodeRecords(episodes: readonly ChunkedEpisode[]): DirectoryRecord[] {
  const taken = new Set(episodes.map(({ url }) => url));
  return episodes.map((chunked) => {
    const { formerUrls = [], chunk: _, ...episode } = chunked;
    const own = formerUrls.filter((url) => !taken.has(url));
    for (const url of own) taken.add(url);
    return { kind: 'episode', episode: { ...episode, formerUrls: own.toSorted(compareText) } };
  });
}

/** A podcast with all its episodes. */
type PodcastRecord = Extract<DirectoryRecord, { kind: 'podcast' }> & { episodes: ChunkedEpisode[] };

/** Imports records, one podcast with its episodes per commit. */
export async function importDirectory(directory: Directory, records: AsyncIterable<DirectoryRecord[]>): Promise<void> {
  let podcast: PodcastRecord | undefined;
  const importPodcast = async (): Promise<void> => {
    const complete = podcast;
    podcast = undefined;
    if (complete) await directory.change(() => decide(directory, complete));
  };
  for await (const page of records) {
    for (const record of page) {
      if (record.kind === 'episode') podcast?.episodes.push(fromExported(record.episode));
      else await importPodcast();
      if (record.kind === 'podcast') podcast = { ...record, episodes: [] };
      if (record.kind === 'tag') await directory.addTags([{ tag: record.tag, title: record.title }]);
      if (record.kind === 'toplist') {
        const urls = record.urls.filter((url) => directory.memory.find(url));
        await addSnapshot(directory, { at: record.at, urls });
      }
    }
  }
  await importPodcast();
}

/** Undefined if the feed was fetched later here. */
async function decide(directory: Directory, record: PodcastRecord): Promise<PodcastChange | undefined> {
  const { url, info, feed, formerUrls } = record;
  const replaces = [...new Set([url, ...formerUrls].flatMap((each) => directory.memory.find(each) ?? []))];
  if (replaces.some((here) => (here.feed.fetchedAt ?? -1) >= (feed.fetchedAt ?? 0))) return undefined;
  const known = await Promise.all(replaces.map((here) => directory.episodes.read(here)));
  const merged = known.reduce<readonly ChunkedEpisode[]>(mergeEpisodes, record.episodes);
  const episodes = { before: known.flat(), after: newestEpisodes(merged) };
  return { podcast: { ...info, url, formerUrls, feed }, replaces, episodes };
}

const fromExported = ({ formerUrls, ...episode }: ExportedEpisode): ChunkedEpisode =>
  formerUrls.length > 0 ? { ...episode, formerUrls } : episode;
