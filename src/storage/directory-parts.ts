import type { DirectoryRecord, ExportedEpisode } from './transfer.ts';

/** What an import of the directory stores in one step: a `DirectoryRecord`, but a podcast with its episodes. */
export type DirectoryPart = Exclude<DirectoryRecord, { kind: 'podcast' | 'episode' }> | PodcastPart;

/** A podcast with all its episodes. */
export type PodcastPart = Extract<DirectoryRecord, { kind: 'podcast' }> & { episodes: ExportedEpisode[] };

/** Brings each podcast together with its episodes, also where a page ends between them. */
export async function* toParts(records: AsyncIterable<DirectoryRecord[]>): AsyncGenerator<DirectoryPart> {
  let podcast: PodcastPart | undefined;
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
