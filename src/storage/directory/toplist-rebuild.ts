import type { Entry } from '../contract.ts';
import { isPrivateEdge, podcastKey, under, type UrlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { ToplistRebuild } from '../stores.ts';
import type { Directory } from './directory.ts';
import { type Counts, type StoredPodcast, subscribersOf, urlsOf } from './podcast.ts';

const READ_AT_ONCE = 1000;

/** Recounts the subscribers of all podcasts and stores today's toplist. */
export async function rebuildToplist(directory: Directory): Promise<ToplistRebuild> {
  const { memory, context, store } = directory;
  const corrected = new Set<StoredPodcast>();
  const edges = await countEdges(directory);
  for (let at = 0; at < memory.addresses.length; at += READ_AT_ONCE) {
    const some = memory.addresses.slice(at, at + READ_AT_ONCE);
    const stored = await store.get(some.flatMap(({ digest }) => countKeys(digest)));
    for (const [n, address] of some.entries()) {
      const { digest, home } = address;
      const right = edges.get(digest) ?? { count: 0, privateCount: 0 };
      const seemsWrong = !isSame(right, address) || !isSame(right, toCounts(stored.slice(2 * n, 2 * n + 2)));
      if (seemsWrong && home.podcast && (await correct(directory, digest))) corrected.add(home.podcast);
    }
  }
  for (const podcast of memory.all()) {
    const { merged } = podcast.address;
    if (!merged) continue;
    const set = await directory.readSubscribers(urlsOf(podcast));
    if (set.size !== merged.size) corrected.add(podcast);
    if (podcast.address.merged === merged) memory.setMerged(podcast.address, set);
    memory.endLoading(set);
  }
  await directory.snapshots.change(() => memory.toplist.withToday(context.now()));
  const podcasts = memory.all().filter((podcast) => subscribersOf(podcast) > 0).length;
  return { podcasts, corrected: corrected.size };
}

const countKeys = (digest: UrlDigest) => [podcastKey(digest, 'count'), podcastKey(digest, 'private')] as const;

const toCounts = ([count, privateCount]: readonly (Entry | undefined)[]): Counts => ({
  count: Number(count?.value ?? 0),
  privateCount: Number(privateCount?.value ?? 0),
});

const isSame = (a: Counts, b: Counts): boolean => a.count === b.count && a.privateCount === b.privateCount;

/** Counts by URL, from the subscriptions under a prefix. */
async function countEdges({ store }: Directory, prefix: `f/${string}` = 'f/'): Promise<Map<UrlDigest, Counts>> {
  const all = new Map<UrlDigest, Counts>();
  for await (const page of scan(store, under(prefix as `${string}/`))) {
    for (const edge of page) {
      const digest = edge.key.split('/', 2)[1]!;
      const counts = all.get(digest) ?? { count: 0, privateCount: 0 };
      all.set(digest, counts);
      counts.count += 1;
      counts.privateCount += Number(isPrivateEdge(edge));
    }
  }
  return all;
}

/** Recounts one URL, as an account may have changed meanwhile. Returns whether the count was wrong. */
async function correct(directory: Directory, digest: UrlDigest): Promise<boolean> {
  const { store, memory } = directory;
  const keys = countKeys(digest);
  for (;;) {
    const stored = await store.get(keys);
    const right = (await countEdges(directory, `f/${digest}/`)).get(digest) ?? { count: 0, privateCount: 0 };
    const isStoredWrong = !isSame(right, toCounts(stored));
    if (isStoredWrong) {
      const check = keys.map((key, at) => [key, stored[at]?.version ?? 0] as const);
      const [count, privateCount] = keys;
      const counts = [[count, String(right.count)] as const, [privateCount, String(right.privateCount)] as const];
      if ((await store.commit({ check, set: [...counts, ...directory.changes([digest])] })) === undefined) continue;
    }
    const address = memory.address(digest);
    const isWrong = address !== undefined && !isSame(right, address);
    if (isWrong) memory.setCounts(digest, right);
    return isStoredWrong || isWrong;
  }
}
