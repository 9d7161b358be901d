import type { DirectoryRecord, ExportedEpisode } from './transfer.ts';

/** What an import stores in one commit: a `DirectoryRecord`, with a podcast and its episodes as one. */
export type GroupedRecord = Exclude<DirectoryRecord, { kind: 'podcast' | 'episode' }> | PodcastWithEpisodes;

/** A podcast with all its episodes. */
export type PodcastWithEpisodes = Extract<DirectoryRecord, { kind: 'podcast' }> & { episodes: ExportedEpisode[] };

/** Groups each podcast with its episodes, across page borders. */
export async function* groupByPodcast(records: AsyncIterable<DirectoryRecord[]>): AsyncGenerator<GroupedRecord> {
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
