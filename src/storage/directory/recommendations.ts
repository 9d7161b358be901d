import type { UserId } from '../../domain/types.ts';
import type { Memory } from './memory.ts';
import { byPopularity, type StoredPodcast, subscribersOf } from './podcast.ts';
import type { SubscriberGraph } from './subscriber-graph.ts';
import { slugsOf } from './tags.ts';
import { topN } from './top-n.ts';

/** Recommendations use at most this many similar users, to bound the time. */
const MAX_NEIGHBOURS = 500;
/**
 * Added to the subscribers of a podcast when it is scored, so that podcasts with few subscribers do not win by chance.
 */
const SMOOTHING = 5;

/** A score for each podcast, by the number of its address; 0: not recommended. */
type Scores = Float64Array;

/** What the scores are computed from. */
interface Inputs {
  memory: Memory;
  graph: SubscriberGraph;
  user: UserId;
  /** Address numbers of the user's podcasts. */
  own: ReadonlySet<number>;
}

/**
 * Recommends podcasts: first those of users with similar subscriptions, then those with the same tags, then popular
 * ones.
 */
export async function recommend(
  memory: Memory,
  graph: SubscriberGraph,
  user: UserId,
  limit: number,
): Promise<StoredPodcast[]> {
  const own = new Set(Array.from(await graph.addressesOf(user), (number) => memory.addresses[number]!.home.number));
  const inputs: Inputs = { memory, graph, user, own };
  const chosen = new Set<StoredPodcast>();
  for (const score of [scoreByNeighbours, scoreByTags, scoreByPopularity]) {
    for (const podcast of best(inputs, await score(inputs), limit + chosen.size)) {
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
async function scoreByNeighbours({ memory, graph, user, own }: Inputs): Promise<Scores> {
  const subscriberSets = await Promise.all(
    Array.from(own, (number) => subscribersTo(memory, graph, memory.addresses[number]!.podcast!)),
  );
  const similarity = new Float64Array(graph.users.length);
  for (const subscribers of subscriberSets) {
    for (const number of subscribers) similarity[number]! += 1 / subscribers.size;
  }
  const others = [...graph.users.keys()].filter((number) => similarity[number]! > 0 && graph.users[number] !== user);
  const asked = topN(
    others,
    MAX_NEIGHBOURS,
    (a, b) => round(similarity[b]!) - round(similarity[a]!) || (graph.users[a]! < graph.users[b]! ? -1 : 1),
  );
  const lists = await Promise.all(asked.map((number) => graph.addressesOf(graph.users[number]!)));

  const sums = new Float64Array(memory.addresses.length);
  /** The last neighbour counted for a podcast: a user may subscribe to two of its URLs. */
  const countedFor = new Int32Array(sums.length).fill(-1);
  for (const [at, list] of lists.entries()) {
    const weight = similarity[asked[at]!]!;
    for (const number of list) {
      const home = memory.addresses[number]!.home.number;
      if (countedFor[home] === at) continue;
      countedFor[home] = at;
      sums[home]! += weight;
    }
  }
  for (let number = 0; number < sums.length; number += 1) {
    if (sums[number]! > 0) sums[number]! /= subscribersOf(memory.addresses[number]!.podcast!) + SMOOTHING;
  }
  return sums;
}

/** User numbers of the subscribers of a podcast, under any of its URLs. */
async function subscribersTo(
  memory: Memory,
  graph: SubscriberGraph,
  podcast: StoredPodcast,
): Promise<ReadonlySet<number>> {
  if (podcast.formerUrls.length === 0) return graph.usersOf(podcast.address);
  const addresses = memory.addressesOf(podcast);
  const subscriberSets = await Promise.all(addresses.map((address) => graph.usersOf(address)));
  return new Set(subscriberSets.flatMap((subscribers) => [...subscribers]));
}

/** Scores by the number of tags shared with the user's podcasts. */
function scoreByTags({ memory, own }: Inputs): Scores {
  const scores = new Float64Array(memory.addresses.length);
  for (const slug of slugsOf(Array.from(own).flatMap((number) => memory.addresses[number]!.podcast!.tags))) {
    for (const { number } of memory.tags.podcasts(slug)) scores[number]! += 1;
  }
  return scores;
}

function scoreByPopularity({ memory }: Inputs): Scores {
  const scores = new Float64Array(memory.addresses.length);
  for (const podcast of memory.all()) scores[podcast.address.number] = subscribersOf(podcast);
  return scores;
}

/** The listed podcasts with the best scores, without the user's own. Works on numbers, as there are many. */
function best({ memory, own }: Inputs, scores: Scores, limit: number): StoredPodcast[] {
  const candidates: number[] = [];
  for (let number = 0; number < scores.length; number += 1) {
    if (scores[number]! > 0 && !own.has(number) && memory.addresses[number]!.isListed) candidates.push(number);
  }
  const podcastAt = (number: number): StoredPodcast => memory.addresses[number]!.podcast!;
  const first = topN(
    candidates,
    limit,
    (a, b) => round(scores[b]!) - round(scores[a]!) || byPopularity(podcastAt(a), podcastAt(b)),
  );
  return first.map(podcastAt);
}

/** Drops the last digits: sums of the same numbers differ there with the order of addition. */
const round = (score: number): number => Math.round(score * 1e9);
