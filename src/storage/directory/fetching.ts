import { groupBy } from '../../batches.ts';
import { LONGEST_WAIT } from '../../domain/feed-wait.ts';
import { looksSecret } from '../../domain/secret-url.ts';
import { compareText } from '../../domain/text-order.ts';
import type { Seconds, Stamp, Url } from '../../domain/types.ts';
import { hostOf } from '../../domain/url.ts';
import type { KeyValueStore } from '../contract.ts';
import { StorageError } from '../errors.ts';
import { urlDigest } from '../keys.ts';
import type { FeedResult, HostLimit } from '../stores.ts';
import type { Directory, PodcastChange } from './directory.ts';
import type { LeaseDocument } from './documents.ts';
import { mergeEpisodes, sharedEpisodes, updateEpisodes } from './episodes.ts';
import { podcastKey } from './keys.ts';
import { type StoredPodcast, subscribersOf } from './podcast.ts';

/** A later time was set by a clock that was far ahead, and has been corrected since. */
const MAX_WAIT = 2 * LONGEST_WAIT;

const isAhead = (at: Seconds, now: Seconds): boolean => at > now && at <= now + MAX_WAIT;

export const isDue = ({ feed: { nextAt } }: StoredPodcast, now: Seconds): boolean =>
  nextAt !== undefined && !isAhead(nextAt, now);

/** Whether a process is fetching the feed. */
const isLeased = ({ address }: StoredPodcast, now: Seconds): boolean => isAhead(address.lease?.until ?? 0, now);

const longestDueFirst = (a: StoredPodcast, b: StoredPodcast): number =>
  a.feed.nextAt! - b.feed.nextAt! || compareText(a.url, b.url);

/** Leases due feeds: see `PodcastStore`. */
export async function claimDue(
  directory: Directory,
  limit: number,
  lease: Seconds,
  { perHost, active }: HostLimit = { perHost: Infinity, active: [] },
): Promise<StoredPodcast[]> {
  const { memory, context, store } = directory;
  const claimed: StoredPodcast[] = [];
  for (;;) {
    const now = context.now();
    const due = memory
      .all()
      .filter((podcast) => isDue(podcast, now) && !isLeased(podcast, now) && subscribersOf(podcast) > 0);
    const counted = [...active, ...claimed.map(({ url }) => url)];
    const first = longestDue(due, limit - claimed.length, { perHost, active: counted });
    const isClaimed = await Promise.all(first.map((podcast) => claim(store, podcast, now + lease)));
    claimed.push(...first.filter((_, at) => isClaimed[at]));
    const lost = first.filter((_, at) => !isClaimed[at]);
    if (lost.length === 0) return claimed.toSorted(longestDueFirst);
    await directory.reload(lost.map(({ address }) => address.digest));
  }
}

/** The feeds that are due longest. Most others are skipped after one comparison: many may be due at a few busy hosts. */
function longestDue(due: readonly StoredPodcast[], limit: number, { perHost, active }: HostLimit): StoredPodcast[] {
  const busy = groupBy(active, hostOf);
  const chosen: StoredPodcast[] = [];
  const byHost = new Map<string, StoredPodcast[]>();
  for (const podcast of due) {
    const isBefore = (last: StoredPodcast | undefined): boolean => !!last && longestDueFirst(podcast, last) < 0;
    const isFull = chosen.length === limit;
    if (isFull && !isBefore(chosen.at(-1))) continue;
    const host = hostOf(podcast.url);
    const ofHost = byHost.get(host) ?? [];
    const isHostFull = ofHost.length + (busy.get(host)?.length ?? 0) >= perHost;
    if (isHostFull && !isBefore(ofHost.at(-1))) continue;
    const replaced = (isHostFull && ofHost.at(-1)) || (isFull && chosen.at(-1));
    if (replaced) {
      chosen.splice(chosen.indexOf(replaced), 1);
      byHost.get(hostOf(replaced.url))!.pop(); // it is the last of its host
    }
    byHost.set(host, ofHost);
    for (const list of [chosen, ofHost]) {
      list.push(podcast);
      list.sort(longestDueFirst);
    }
  }
  return chosen;
}

/**
 * Takes effect in this process at once, and is stored if others share the store, as they fetch feeds, too. False if
 * another process holds the lease or has changed the podcast.
 */
async function claim(store: KeyValueStore, { address, version }: StoredPodcast, until: Seconds): Promise<boolean> {
  const { digest, lease: before } = address;
  address.lease = { until, version: before?.version ?? 0 };
  if (!store.isShared) return true;
  const key = podcastKey(digest, 'lease');
  try {
    const claimed = await store.commit({
      check: [
        [podcastKey(digest, 'podcast'), version],
        [key, before?.version ?? 0],
      ],
      set: [[key, JSON.stringify({ until } satisfies LeaseDocument)]],
    });
    if (claimed !== undefined) address.lease = { until, version: claimed };
    return claimed !== undefined;
  } catch (error) {
    address.lease = before;
    throw error;
  }
}

/** Stores the result of fetching a feed. */
export async function recordResult(directory: Directory, url: Url, result: FeedResult): Promise<void> {
  const { memory, context, store } = directory;
  if (store.isShared && !memory.find(url)) await directory.reload([urlDigest(url)]);
  const pending = memory.stamps.begin(context.now());
  try {
    await directory.change(() => decide(directory, url, result, pending.stamp));
  } finally {
    memory.stamps.end(pending);
  }
}

/** `stamp`: for new episodes, unless the podcast has newer ones. */
async function decide(
  { memory, episodes }: Directory,
  url: Url,
  { state, content, movedTo }: FeedResult,
  stamp: Stamp,
): Promise<PodcastChange | undefined> {
  const fetched = memory.find(url);
  if (!fetched) throw new StorageError('missing', 'the directory does not know this feed');
  const target = movedTo ?? fetched.url;
  const existing = memory.find(target) ?? fetched;
  const replaces = [...new Set([existing, fetched])];
  const { url: _, ...feed } = state;
  const fields = replaces.find((each) => each.feed.fetchedAt !== undefined) ?? existing;
  const podcast = { ...fields, ...content?.podcast, feed, url: target };
  if (!content && target === fetched.url) {
    // It has moved while it was fetched. That its former address failed says nothing of the current one.
    return fetched.url === url ? { podcast, replaces, endsLease: true } : undefined;
  }

  const known = await Promise.all(replaces.map((each) => episodes.read(each)));
  const [ofExisting, ofFetched = ofExisting] = known as [(typeof known)[0], (typeof known)[0]?];
  const found = content?.episodes ?? [];
  const there = content ? found : ofExisting;
  const becomesPublic = looksSecret(fetched.url) && !looksSecret(target);
  const moved = target === fetched.url ? ofFetched : sharedEpisodes(ofFetched, there, { becomesPublic });
  const merged = existing === fetched ? moved : mergeEpisodes(ofExisting, moved);
  const newest = replaces.map(({ newestStamp = 0 }) => newestStamp);
  const after = updateEpisodes(merged, found, Math.max(stamp, ...newest.map((each) => each + 1)));
  return { podcast, replaces, episodes: { before: known.flat(), after }, endsLease: true };
}
