import { compareText, type Url, type UserId } from '../../../src/old-plugin.ts';
import { DOUBT, PEOPLE_ASKED } from '../directory-rules.ts';
import type { Audience } from './audience.ts';
import type { Catalogue } from './catalogue.ts';
import { firstOf } from './first.ts';
import type { StoredPodcast } from './shard.ts';
import { Tags } from './tags.ts';

/** A score for each feed, by its number; 0 where nothing speaks for it. */
type Scores = Float64Array;

/** What a user might like: what like-minded people have, then what has the same tags, then what everybody has. */
export function alongside(catalogue: Catalogue, user: UserId, limit: number): StoredPodcast[] {
  const chosen = new Set<StoredPodcast>();
  for (const score of [sharedByPeople, sharedByTags, popularity]) {
    for (const url of best(catalogue.audience, user, score(catalogue, user), limit + chosen.size)) {
      const podcast = catalogue.find(url);
      if (podcast && chosen.size < limit) chosen.add(podcast);
    }
    if (chosen.size === limit) break;
  }
  return [...chosen];
}

/**
 * Each person counts by how much they share with the user: a feed that few have says more than one that everybody has.
 * And what everybody has anyway is suggested less.
 */
function sharedByPeople({ audience: { users, feeds } }: Catalogue, user: UserId): Scores {
  const nearness = new Float64Array(users.keys.length);
  for (const feed of users.linksOf(user)) {
    const people = feeds.links[feed]!;
    for (const person of people) nearness[person]! += 1 / people.size;
  }
  const others = [...users.keys.keys()].filter((person) => nearness[person]! > 0 && users.keys[person] !== user);
  const asked = firstOf(
    others,
    PEOPLE_ASKED,
    (a, b) => round(nearness[b]!) - round(nearness[a]!) || (users.keys[a]! < users.keys[b]! ? -1 : 1),
  );
  const sums = new Float64Array(feeds.keys.length);
  for (const person of asked) for (const feed of users.links[person]!) sums[feed]! += nearness[person]!;
  return sums.map((sum, feed) => sum / (feeds.links[feed]!.size + DOUBT));
}

/** How many tags a feed shares with what the user has. */
function sharedByTags(catalogue: Catalogue, user: UserId): Scores {
  const { audience, tags } = catalogue;
  const own = audience.feedsOf(user).flatMap((url) => catalogue.find(url)?.tags ?? []);
  const shared = Tags.slugs(own).flatMap((tag) =>
    Array.from(tags.podcasts(tag), (url) => audience.feeds.numberOf(url)),
  );
  const scores = new Float64Array(audience.feeds.keys.length);
  for (const feed of shared) scores[feed]! += 1;
  return scores;
}

const popularity = ({ audience: { feeds } }: Catalogue): Scores =>
  new Float64Array(feeds.links.map(({ size }) => size));

/** The feeds with the best scores, without those that the user has. */
function best({ users, feeds }: Audience, user: UserId, scores: Scores, limit: number): Url[] {
  const own = users.linksOf(user);
  const candidates: number[] = [];
  for (let feed = 0; feed < scores.length; feed += 1) if (scores[feed]! > 0 && !own.has(feed)) candidates.push(feed);
  const first = firstOf(
    candidates,
    limit,
    (a, b) =>
      round(scores[b]!) - round(scores[a]!) ||
      feeds.links[b]!.size - feeds.links[a]!.size ||
      compareText(feeds.keys[a]!, feeds.keys[b]!),
  );
  return first.map((feed) => feeds.keys[feed]!);
}

/** Without the last digits, in which sums of the same numbers differ when these are added in another order. */
const round = (score: number): number => Math.round(score * 1e9);
