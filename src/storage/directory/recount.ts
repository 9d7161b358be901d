import { podcastKey, under, type UrlDigest } from '../keys.ts';
import { scan } from '../rows.ts';
import type { ToplistRebuild } from '../stores.ts';
import type { Directory } from './directory.ts';
import { type StoredPodcast, subscribersOf, urlsOf } from './podcast.ts';

const READ_AT_ONCE = 1000;

/** Counts the subscribers of all podcasts once more, and keeps today's toplist. */
export async function rebuildToplist(directory: Directory): Promise<ToplistRebuild> {
  const { memory, context, store } = directory;
  const corrected = new Set<StoredPodcast>();
  const edges = await countEdges(directory);
  for (let at = 0; at < memory.addresses.length; at += READ_AT_ONCE) {
    const some = memory.addresses.slice(at, at + READ_AT_ONCE);
    const stored = await store.get(some.map(({ digest }) => podcastKey(digest, 'count')));
    for (const [n, { digest, count, home }] of some.entries()) {
      const right = edges.get(digest) ?? 0;
      const seemsWrong = right !== count || right !== Number(stored[n]?.value ?? 0);
      if (seemsWrong && home.podcast && (await correct(directory, digest))) corrected.add(home.podcast);
    }
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
  const podcasts = memory.all().filter((podcast) => subscribersOf(podcast) > 0).length;
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
      const check = [[key, stored?.version ?? 0] as const];
      const set = [[key, String(edges)] as const, ...directory.changes([digest])];
      if ((await store.commit({ check, set })) === undefined) continue;
    }
    const address = memory.address(digest);
    const isWrong = address !== undefined && address.count !== edges;
    if (isWrong) memory.setCount(digest, edges);
    return isStoredWrong || isWrong;
  }
}
