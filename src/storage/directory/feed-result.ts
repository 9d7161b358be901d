import type { Stamp, Url } from '../../domain/types.ts';
import { noSuchFeed } from '../store-errors.ts';
import { urlDigest } from '../keys.ts';
import type { FeedResult } from '../stores.ts';
import type { PodcastChange } from './change.ts';
import type { Directory } from './directory.ts';
import { mergeEpisodes, sharedEpisodes, updateEpisodes } from './episodes.ts';

/** Stores the result of fetching a feed. */
export async function recordResult(directory: Directory, url: Url, result: FeedResult): Promise<void> {
  const { memory, context, store } = directory;
  if (store.isShared && !memory.find(url)) await directory.reload([urlDigest(url)]);
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
  { memory, episodes }: Directory,
  url: Url,
  { state, content, movedTo }: FeedResult,
  stamp: Stamp,
): Promise<PodcastChange> {
  const asked = memory.find(url);
  if (!asked) throw noSuchFeed();
  const target = movedTo ?? asked.url;
  const there = memory.find(target) ?? asked;
  const replaces = [...new Set([there, asked])];
  const { url: _, ...feed } = state;
  const fields = replaces.find((each) => each.feed.fetchedAt !== undefined) ?? there;
  const podcast = { ...fields, ...content?.podcast, feed, url: target };
  if (!content && target === asked.url) return { podcast, replaces, endsLease: true };

  const known = await Promise.all(replaces.map((each) => episodes.read(each)));
  const [ofThere, ofAsked = ofThere] = known as [(typeof known)[0], (typeof known)[0]?];
  const found = content?.episodes ?? [];
  const moved = target === asked.url ? ofAsked : sharedEpisodes(ofAsked, content ? found : ofThere);
  const merged = there === asked ? moved : mergeEpisodes(ofThere, moved);
  const after = updateEpisodes(merged, found, stamp);
  return { podcast, replaces, episodes: { before: known.flat(), after }, endsLease: true };
}
