import { compareText, createSlug } from 'podsync/old-plugin';
import { newestFirst, unite } from './directory.js';

/** @import { DirectoryRecord, PodcastPart } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */
/** @import { Shelved } from './directory.js' */

const DAY = 86_400;

/** The whole directory, in the order that every storage has. @param {Data} data @returns {DirectoryRecord[]} */
export function toDirectoryRecords(data) {
  const podcasts = [...data.podcasts.values()].toSorted((a, b) => compareText(a.url, b.url));
  const used = new Set(podcasts.flatMap(({ info }) => info.tags.map(createSlug)));
  /** @type {DirectoryRecord[]} */
  const records = [];
  for (const tag of [...used].filter(Boolean).toSorted(compareText)) {
    records.push({ kind: 'tag', tag, title: data.tagTitles.get(tag) ?? tag });
  }
  for (const { url, info, feed, formerUrls, episodes } of podcasts) {
    records.push({ kind: 'podcast', url, info, feed, formerUrls: formerUrls.toSorted(compareText) });
    // A URL goes to the episode that has it now, else to the first of those that had it.
    const taken = new Set(episodes.map(({ shown }) => shown.url));
    for (const { shown, urls } of episodes) {
      const { podcast: _, ...episode } = shown;
      const former = [...urls].filter((each) => !taken.has(each)).toSorted(compareText);
      for (const each of former) taken.add(each);
      records.push({ kind: 'episode', episode: { ...episode, formerUrls: former } });
    }
  }
  for (const { at, urls } of data.toplists.toReversed()) {
    if (urls.length === 0) continue;
    records.push({ kind: 'toplist', at, urls: urls.map((url) => data.find(url)?.url ?? url) });
  }
  return records;
}

/** Stores a podcast, unless it was read here later. @param {Data} data @param {PodcastPart} part */
export function importPodcast(data, { url, info, feed, formerUrls, episodes }) {
  const known = [...new Set([url, ...formerUrls].flatMap((each) => data.find(each) ?? []))];
  if (known.some((here) => (here.feed.fetchedAt ?? -1) >= (feed.fetchedAt ?? 0))) return;

  /** @type {Shelved[]} */
  let shelf = episodes.map(({ formerUrls: former, ...episode }) => ({
    shown: { ...episode, podcast: url },
    urls: new Set([...former, episode.url]),
  }));
  for (const here of known) shelf = unite(shelf, here.episodes);
  shelf = shelf.map(({ shown, urls }) => ({ shown: { ...shown, podcast: url }, urls }));
  const former = new Set([...formerUrls, ...known.flatMap((here) => [here.url, ...here.formerUrls])]);
  former.delete(url);
  for (const here of known) data.podcasts.delete(here.url);
  data.podcasts.set(url, { url, info, feed, formerUrls: [...former], episodes: newestFirst(shelf), claimedUntil: 0 });
  data.directoryStamp = Math.max(data.directoryStamp, ...shelf.map(({ shown }) => shown.stamp));
  for (const tag of info.tags) if (!data.tagTitles.has(createSlug(tag))) data.tagTitles.set(createSlug(tag), tag);
}

/** Keeps a toplist of another storage, unless there is one of about that time. @param {Data} data @param {{ at: number, urls: string[] }} toplist */
export function addToplist(data, { at, urls }) {
  if (data.toplists.some((kept) => Math.abs(kept.at - at) < DAY)) return;
  const known = urls.filter((url) => data.find(url));
  if (known.length > 0) data.toplists = [...data.toplists, { at, urls: known }].toSorted((a, b) => a.at - b.at);
}
