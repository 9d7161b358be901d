import { podcastKey, under, type UrlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { ToplistRebuild } from '../stores.ts';
import type { Directory } from './directory.ts';
import { type StoredPodcast, subscribersOf, urlsOf } from './podcast.ts';

/** Counts the subscribers of all podcasts once more, and keeps today's toplist. */
export async function rebuildToplist(directory: Directory): Promise<ToplistRebuild> {
  const { memory, context } = directory;
  const corrected = new Set<StoredPodcast>();
  const counts = await countEdges(directory);
  for (const address of memory.addresses) {
    const isWrong = address.count !== (counts.get(address.digest) ?? 0) && (await correct(directory, address.digest));
    if (isWrong && address.home.podcast) corrected.add(address.home.podcast);
  }
  for (const podcast of memory.all()) {
    const { merged } = podcast.address;
    if (!merged) continue;
    const set = await directory.readSubscribers(urlsOf(podcast));
    if (set.size !== merged.size) corrected.add(podcast);
    if (podcast.address.merged === merged) podcast.address.merged = set;
    memory.endLoading(set);
  }
  await directory.changeToplists(() => memory.toplist.keptWith(context.now()));
  const podcasts = Array.from(memory.all()).filter((podcast) => subscribersOf(podcast) > 0).length;
  return { podcasts, corrected: corrected.size };
}

async function countEdges({ store }: Directory): Promise<Map<UrlDigest, number>> {
  const counts = new Map<UrlDigest, number>();
  for await (const page of scan(store, under('f/'))) {
    for (const { key } of page) {
      const digest = key.split('/', 2)[1]!;
      counts.set(digest, (counts.get(digest) ?? 0) + 1);
    }
  }
  return counts;
}

/** Counts again, as an account may have changed meanwhile; answers whether the number was wrong all the same. */
async function correct(directory: Directory, digest: UrlDigest): Promise<boolean> {
  const { store, memory } = directory;
  const key = podcastKey(digest, 'count');
  for (;;) {
    const [stored] = await store.get([key]);
    let edges = 0;
    for await (const page of scan(store, under(`f/${digest}/`))) edges += page.length;
    const isStoredWrong = edges !== Number(stored?.value ?? 0);
    if (isStoredWrong) {
      const batch = {
        check: [[key, stored?.version ?? 0]],
        set: [[key, String(edges)], ...directory.changes([digest])],
      };
      if ((await store.commit(batch as never)) === undefined) continue;
    }
    const address = memory.address(digest);
    const isWrong = address !== undefined && address.count !== edges;
    if (isWrong) memory.setCount(address, edges);
    return isStoredWrong || isWrong;
  }
}
