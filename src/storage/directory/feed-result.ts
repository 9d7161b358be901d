import type { Stamp, Url } from '../../domain/types.ts';
import { noSuchFeed } from '../store-errors.ts';
import { urlDigest } from '../keys.ts';
import type { FeedResult } from '../stores.ts';
import type { PodcastChange } from './change.ts';
import type { Directory } from './directory.ts';
import { replaceEpisodes } from './episode-store.ts';
import { mergeEpisodes, type ChunkedEpisode, sharedEpisodes, NO_CHUNK, updateEpisodes } from './episodes.ts';
import { type PodcastFields, type StoredPodcast, urlsOf } from './podcast.ts';

/** Stores the result of fetching a feed. */
export async function recordResult(directory: Directory, url: Url, result: FeedResult): Promise<void> {
  const { memory, context, store } = directory;
  if (store.isShared && !memory.find(url)) await directory.reload([urlDigest(url)], true);
  let stamp: Stamp | undefined;
  const endStamp = (): void => {
    if (stamp !== undefined) memory.stamps.end(stamp);
  };
  try {
    await directory.change(() => {
      endStamp();
      const found = result.content?.episodes ?? [];
      stamp = found.length > 0 ? memory.stamps.begin(context.now()) : undefined;
      return decide(directory, url, result, stamp ?? 0);
    });
  } finally {
    endStamp();
  }
}

/** `stamp`: for new episodes. */
async function decide(
  directory: Directory,
  url: Url,
  { state, content, movedTo }: FeedResult,
  stamp: Stamp,
): Promise<PodcastChange> {
  const asked = directory.memory.find(url);
  if (!asked) throw noSuchFeed();
  const target = movedTo ?? asked.url;
  const there = directory.memory.find(target) ?? asked;
  const replaces = [...new Set([there, asked])];
  const { url: _, ...feed } = state;
  const podcast = mergePodcasts(target, replaces, { ...content?.podcast, feed });
  if (!content && target === asked.url) return { podcast, replaces, endsLease: true };

  const known = await Promise.all(replaces.map((each) => directory.episodes.read(each)));
  const placed = known.map((list, at) => (replaces[at]!.url === target ? list : withoutChunks(list)));
  const found = content?.episodes ?? [];
  if (target !== asked.url) {
    const at = replaces.indexOf(asked);
    placed[at] = sharedEpisodes(placed[at]!, content ? found : known[0]!);
  }
  const merged = mergeEpisodes(placed[0]!, placed[1] ?? []);
  const after = updateEpisodes(merged, found, stamp);
  if (after.some((episode) => episode.stamp === stamp)) podcast.newestEpisode = stamp;
  return { podcast, replaces, episodes: replaceEpisodes(target, replaces, known, after), endsLease: true };
}

/** Merges known podcasts, the one with this URL first, with what was just fetched. */
function mergePodcasts(
  url: Url,
  known: readonly StoredPodcast[],
  current: Partial<PodcastFields> & Pick<PodcastFields, 'feed'>,
): PodcastFields {
  const stamps = known.flatMap(({ newestEpisode }) => newestEpisode ?? []);
  const former = new Set(known.flatMap(urlsOf));
  former.delete(url);
  const { address: _, version: __, ...read } = known.find(({ feed }) => feed.fetchedAt !== undefined) ?? known[0]!;
  const podcast: PodcastFields = { ...read, ...current, url, formerUrls: [...former] };
  return stamps.length > 0 ? { ...podcast, newestEpisode: Math.max(...stamps) } : podcast;
}

/** Episodes to be stored under another URL. */
export const withoutChunks = (episodes: readonly ChunkedEpisode[]): ChunkedEpisode[] =>
  episodes.map((episode) => ({ ...episode, chunk: NO_CHUNK }));
