import {
  areNear,
  compareText,
  createSlug,
  mayBeMisspelt,
  nextStamp,
  toQueryTerms,
  toSearched,
  toTerms,
} from 'podsync/old-plugin';

/** @import { Episode, EpisodeInfo, FeedProgress, FeedReading, Podcast, PodcastInfo, Seconds, Url, UserId } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

/**
 * An episode, and every URL that it had.
 * @typedef {{ shown: Episode, urls: Set<Url> }} Shelved
 * @typedef {{ url: Url, formerUrls: Url[], info: PodcastInfo, feed: FeedProgress, episodes: Shelved[], claimedUntil: Seconds }} Entry
 */

/** @type {PodcastInfo} */
export const EMPTY_INFO = {
  title: '',
  author: '',
  description: '',
  website: '',
  logoUrl: null,
  language: '',
  tags: [],
};

const KEPT = 1000;

/** @param {Data} data @param {Entry} entry @param {FeedReading} reading @param {Seconds} at */
export function merge(data, entry, { state, content, movedTo = entry.url }, at) {
  const target = data.find(movedTo) ?? entry;
  const former = new Set([target, entry].flatMap(({ url, formerUrls }) => [url, ...formerUrls]));
  former.delete(movedTo);
  for (const { url } of [target, entry]) data.podcasts.delete(url);

  const { url: _, ...feed } = state;
  const read = [target, entry].find((each) => each.feed.fetchedAt !== undefined) ?? target;
  const info = content?.podcast ?? read.info;
  for (const tag of info.tags) if (!data.tagTitles.has(createSlug(tag))) data.tagTitles.set(createSlug(tag), tag);

  const known = unite(target.episodes, target === entry ? [] : entry.episodes);
  const acted = data.acted(new Set([movedTo, ...former]));
  const told = content?.episodes ?? [];
  const newest = new Set(told.toSorted(byRelease).slice(0, KEPT));
  // In a feed that tells more than is kept, the old ones would only come and go.
  const worthKeeping = told.filter((each) => newest.has(each) || acted.has(each.guid ?? '') || acted.has(each.url));
  const stamp = nextStamp(at, data.directoryStamp);
  const all = shelve(known, worthKeeping, stamp).map((episode) => {
    return { ...episode, shown: { ...episode.shown, podcast: movedTo } };
  });
  const episodes = newestFirst(all).filter(
    ({ shown, urls }, i) => i < KEPT || acted.has(shown.guid ?? '') || [...urls].some((url) => acted.has(url)),
  );
  if (episodes.some(({ shown }) => shown.stamp === stamp)) data.directoryStamp = stamp;
  data.podcasts.set(movedTo, { url: movedTo, formerUrls: [...former], info, feed, episodes, claimedUntil: 0 });
}

/** Newest first. @param {EpisodeInfo} a @param {EpisodeInfo} b */
const byRelease = (a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0);

/** By release, then by stamp, then as they are. @param {Shelved[]} episodes */
export const newestFirst = (episodes) =>
  episodes.toSorted((a, b) => byRelease(a.shown, b.shown) || b.shown.stamp - a.shown.stamp);

/**
 * By GUID, else by any URL that it had, which one that has moved leaves to others.
 * @param {Shelved[]} known
 * @param {EpisodeInfo} episode
 * @param {Map<string | undefined, Url>} told Where the feed has each GUID now.
 */
function find(known, { guid, url }, told = new Map()) {
  const there = known.filter(({ shown }) => shown.guid === undefined || (told.get(shown.guid) ?? url) === url);
  return (
    known.find(({ shown }) => guid !== undefined && shown.guid === guid) ??
    there.find(({ shown }) => shown.url === url) ??
    there.find(({ urls }) => urls.has(url))
  );
}

/** Those that both have are as the first has them, with the URLs of both, and as new as in either. @param {Shelved[]} one @param {Shelved[]} other */
export function unite(one, other) {
  const united = new Map(one.map((episode) => [episode, episode]));
  for (const episode of other) {
    const same = find(one, episode.shown);
    const { shown, urls } = (same && united.get(same)) ?? episode;
    const stamp = Math.max(shown.stamp, episode.shown.stamp);
    united.set(same ?? episode, { shown: { ...shown, stamp }, urls: new Set([...urls, ...episode.urls]) });
  }
  return [...united.values()];
}

/** Those known in their places, then the others as the feed has them. @param {Shelved[]} known @param {readonly EpisodeInfo[]} told @param {number} stamp */
function shelve(known, told, stamp) {
  /** @type {Map<Shelved | undefined, Shelved>} */
  const fresh = new Map();
  const urls = new Map(told.map(({ guid, url }) => [guid, url]));
  for (const info of told) {
    if (find([...fresh.values()].slice(-KEPT), info, urls)) continue; // twice in the feed
    const same = find(known, info, urls);
    const before = fresh.has(same) ? undefined : same; // another has it now
    const shown = { ...info, podcast: '', stamp: before?.shown.stamp ?? stamp };
    const shelved = { shown, urls: new Set([...(before?.urls ?? []), info.url]) };
    fresh.set(before ?? shelved, shelved);
  }
  const others = [...fresh.values()].filter((shelved) => fresh.has(shelved));
  return [...known.map((episode) => fresh.get(episode) ?? episode), ...others];
}

/** Those that have all words, as part of a word or with one letter wrong; where there are none, those that have any. @param {Podcast[]} podcasts @param {string} text */
export function search(podcasts, text) {
  const wanted = toQueryTerms(text);
  const counted = podcasts.map((podcast) => {
    const { title, author, description, tags, url } = podcast;
    const words = toTerms([title, author, description, ...tags, toSearched(url)].join(' '));
    /** @param {string} word */
    const has = (word) => words.some((each) => each.includes(word) || (mayBeMisspelt(word) && areNear(each, word)));
    return { podcast, count: wanted.filter(has).length };
  });
  const withAny = counted.filter(({ count }) => count > 0);
  const withAll = withAny.filter(({ count }) => count === wanted.length);
  return (withAll.length > 0 ? withAll : withAny).map(({ podcast }) => podcast);
}

/** @param {Data} data @param {UserId} user @param {Podcast[]} podcasts */
export function suggest(data, user, podcasts) {
  const own = new Set(podcasts.filter(({ url }) => data.subscribers(url).includes(user)));
  const tags = new Set([...own].flatMap((podcast) => podcast.tags.map(createSlug)));
  /** How much others share with the user: what few have says more. @type {Map<UserId, number>} */
  const near = new Map();
  for (const { url, subscribers } of own) {
    for (const other of data.subscribers(url)) near.set(other, (near.get(other) ?? 0) + 1 / subscribers);
  }
  const scored = podcasts
    .filter((podcast) => !own.has(podcast))
    .map((podcast) => ({
      podcast,
      people:
        data.subscribers(podcast.url).reduce((sum, other) => sum + (near.get(other) ?? 0), 0) /
        (podcast.subscribers + 5),
      shared: new Set(podcast.tags.map(createSlug).filter((tag) => tags.has(tag))).size,
    }))
    .filter(({ people, shared, podcast }) => people > 0 || shared > 0 || podcast.subscribers > 0);
  scored.sort(
    (a, b) =>
      b.people - a.people ||
      b.shared - a.shared ||
      b.podcast.subscribers - a.podcast.subscribers ||
      compareText(a.podcast.url, b.podcast.url),
  );
  return scored.map(({ podcast }) => podcast);
}
