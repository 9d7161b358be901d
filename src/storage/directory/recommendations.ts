import type { UserId } from '../../domain/types.ts';
import type { Memory } from './memory.ts';
import { byPopularity, type StoredPodcast, subscriberNumbers, subscribersOf, topN } from './podcast.ts';
import { slugsOf } from './tags.ts';

/** Recommendations use at most this many similar users, to bound the time. */
const MAX_NEIGHBOURS = 500;
/**
 * Added to the subscribers of a podcast when it is scored, so that podcasts with few subscribers do not win by chance.
 */
const SMOOTHING = 5;

/** A score for each podcast, by the number of its address; 0: not recommended. */
type Scores = Float64Array;

/** The podcasts that the user subscribes to. */
type Own = ReadonlySet<StoredPodcast>;

/**
 * Recommends podcasts: first those of users with similar subscriptions, then those with the same tags, then popular
 * ones.
 */
export function recommend(memory: Memory, user: UserId, limit: number): StoredPodcast[] {
  const subscriptions = [...memory.subscriptionsByDigest(user).keys()];
  const own = new Set(subscriptions.flatMap((digest) => memory.at(digest) ?? []));
  const chosen = new Set<StoredPodcast>();
  for (const score of [scoreByNeighbours, scoreByTags, scoreByPopularity]) {
    for (const podcast of best(memory, own, score(memory, own), limit)) {
      if (chosen.size < limit) chosen.add(podcast);
    }
    if (chosen.size === limit) break;
  }
  return [...chosen];
}

/**
 * Scores by the subscriptions of similar users. A shared podcast counts more the fewer subscribers it has, and popular
 * podcasts are recommended less.
 */
function scoreByNeighbours(memory: Memory, own: Own): Scores {
  const { accounts, addresses } = memory;
  const similarity = new Float64Array(accounts.length);
  for (const { address } of own) {
    for (const number of subscriberNumbers(address)) similarity[number]! += 1 / address.count;
  }
  // The user is one of them, which has no effect: `best` leaves out the user's podcasts.
  const similar = accounts.filter(({ number }) => similarity[number]! > 0);
  const neighbours = topN(
    similar,
    MAX_NEIGHBOURS,
    (a, b) => round(similarity[b.number]!) - round(similarity[a.number]!) || (a.id < b.id ? -1 : 1),
  );
  const sums = new Float64Array(addresses.length);
  for (const { number, subscriptions } of neighbours) {
    // A user may subscribe to two URLs of a podcast.
    const podcastNumbers = new Set(Array.from(subscriptions, ({ canonical }) => canonical.number));
    for (const podcast of podcastNumbers) sums[podcast]! += similarity[number]!;
  }
  for (const [number, address] of addresses.entries()) {
    if (sums[number]! > 0) sums[number]! /= address!.count + SMOOTHING;
  }
  return sums;
}

/** Scores by the number of tags shared with the user's podcasts. */
function scoreByTags({ addresses, tags }: Memory, own: Own): Scores {
  const scores = new Float64Array(addresses.length);
  for (const slug of slugsOf(Array.from(own).flatMap((podcast) => podcast.tags))) {
    for (const { number } of tags.podcasts(slug)) scores[number]! += 1;
  }
  return scores;
}

function scoreByPopularity(memory: Memory): Scores {
  const scores = new Float64Array(memory.addresses.length);
  for (const podcast of memory.all()) scores[podcast.address.number] = subscribersOf(podcast);
  return scores;
}

/** The listed podcasts with the best scores, without the user's own. */
function best({ addresses }: Memory, own: Own, scores: Scores, limit: number): StoredPodcast[] {
  const candidates: StoredPodcast[] = [];
  for (const [number, address] of addresses.entries()) {
    const podcast = scores[number]! > 0 && address?.isListed ? address.podcast! : undefined;
    if (podcast && !own.has(podcast)) candidates.push(podcast);
  }
  const scoreOf = ({ address }: StoredPodcast): number => round(scores[address.number]!);
  return topN(candidates, limit, (a, b) => scoreOf(b) - scoreOf(a) || byPopularity(a, b));
}

/** Drops the last digits: sums of the same numbers differ there with the order of addition. */
const round = (score: number): number => Math.round(score * 1e9);
