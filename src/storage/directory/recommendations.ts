import type { UserId } from '../../domain/types.ts';
import type { Catalog } from './catalog.ts';
import { byPopularity, type StoredPodcast, subscribersOf } from './podcast.ts';
import { DOUBT, PEOPLE_ASKED } from './rules.ts';
import type { SubscriberGraph } from './subscriber-graph.ts';
import { slugsOf } from './tags.ts';
import { topN } from './top-n.ts';

/** A score for each podcast, by the number of its address; 0 where nothing speaks for it. */
type Scores = Float64Array;

/** What is known about the user, and about all others. */
interface Situation {
  catalog: Catalog;
  graph: SubscriberGraph;
  user: UserId;
  /** Numbers of what the user has. */
  own: ReadonlySet<number>;
}

/** What a user might like: what like-minded people have, then what has the same tags, then what everybody has. */
export async function recommend(
  catalog: Catalog,
  graph: SubscriberGraph,
  user: UserId,
  limit: number,
): Promise<StoredPodcast[]> {
  const own = new Set(Array.from(await graph.addressesOf(user), (number) => catalog.homes[number]!));
  const situation: Situation = { catalog, graph, user, own };
  const chosen = new Set<StoredPodcast>();
  for (const score of [sharedByPeople, sharedByTags, popularity]) {
    for (const podcast of best(situation, await score(situation), limit + chosen.size)) {
      if (chosen.size < limit) chosen.add(podcast);
    }
    if (chosen.size === limit) break;
  }
  return [...chosen];
}

/**
 * Each person counts by how much they share with the user: a podcast that few have says more than one that everybody
 * has. And what everybody has anyway is suggested less.
 */
async function sharedByPeople({ catalog, graph, user, own }: Situation): Promise<Scores> {
  const audiences = await Promise.all(
    Array.from(own, (number) => audienceOf(catalog, graph, catalog.addresses[number]!.podcast!)),
  );
  const nearness = new Float64Array(graph.users.length);
  for (const people of audiences) for (const person of people) nearness[person]! += 1 / people.size;
  const others = [...graph.users.keys()].filter((person) => nearness[person]! > 0 && graph.users[person] !== user);
  const asked = topN(
    others,
    PEOPLE_ASKED,
    (a, b) => round(nearness[b]!) - round(nearness[a]!) || (graph.users[a]! < graph.users[b]! ? -1 : 1),
  );
  const lists = await Promise.all(asked.map((person) => graph.addressesOf(graph.users[person]!)));

  const sums = new Float64Array(catalog.addresses.length);
  /** The last person whose podcast was counted: somebody may have it under two URLs. */
  const countedFor = new Int32Array(sums.length).fill(-1);
  for (const [at, list] of lists.entries()) {
    const weight = nearness[asked[at]!]!;
    for (const number of list) {
      const home = catalog.homes[number]!;
      if (countedFor[home] === at) continue;
      countedFor[home] = at;
      sums[home]! += weight;
    }
  }
  for (let number = 0; number < sums.length; number += 1) {
    if (sums[number]! > 0) sums[number]! /= subscribersOf(catalog.addresses[number]!.podcast!) + DOUBT;
  }
  return sums;
}

/** Numbers of the people who subscribe to a podcast, under any of its URLs. */
async function audienceOf(
  catalog: Catalog,
  graph: SubscriberGraph,
  podcast: StoredPodcast,
): Promise<ReadonlySet<number>> {
  if (podcast.formerUrls.length === 0) return graph.usersOf(podcast.address);
  const addresses = catalog.addressesOf(podcast);
  const audiences = await Promise.all(addresses.map((address) => graph.usersOf(address)));
  return new Set(audiences.flatMap((people) => [...people]));
}

/** How many tags a podcast shares with what the user has. */
function sharedByTags({ catalog, own }: Situation): Scores {
  const scores = new Float64Array(catalog.addresses.length);
  for (const slug of slugsOf(Array.from(own).flatMap((number) => catalog.addresses[number]!.podcast!.tags))) {
    for (const { number } of catalog.tags.podcasts(slug)) scores[number]! += 1;
  }
  return scores;
}

function popularity({ catalog }: Situation): Scores {
  const scores = new Float64Array(catalog.addresses.length);
  for (const podcast of catalog.all()) scores[podcast.address.number] = subscribersOf(podcast);
  return scores;
}

/** The listed podcasts with the best scores, without those that the user has. By number, as there are many of them. */
function best({ catalog, own }: Situation, scores: Scores, limit: number): StoredPodcast[] {
  const candidates: number[] = [];
  for (let number = 0; number < scores.length; number += 1) {
    if (scores[number]! > 0 && !own.has(number) && catalog.addresses[number]!.isListed) candidates.push(number);
  }
  const podcastAt = (number: number): StoredPodcast => catalog.addresses[number]!.podcast!;
  const first = topN(
    candidates,
    limit,
    (a, b) => round(scores[b]!) - round(scores[a]!) || byPopularity(podcastAt(a), podcastAt(b)),
  );
  return first.map(podcastAt);
}

/** Without the last digits, in which sums of the same numbers differ when these are added in another order. */
const round = (score: number): number => Math.round(score * 1e9);
