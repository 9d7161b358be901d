import { compareText, createSlug, logoHash, markAfter, StorageError } from 'podsync/old-plugin';
import { EMPTY_INFO, merge, search, suggest } from './directory.js';

/** @import { OpenContext, Podcast, PodcastStore, Tag, Url } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */
/** @import { Entry } from './directory.js' */

const DAY = 86_400;

/** Most subscribers first, then by URL. @param {Podcast[]} podcasts @param {number} limit */
const first = (podcasts, limit) =>
  podcasts.toSorted((a, b) => b.subscribers - a.subscribers || compareText(a.url, b.url)).slice(0, limit);

/** @type {(data: Data, context: OpenContext) => PodcastStore} */
export function createPodcastStore(data, { now }) {
  /** @param {Entry} entry @returns {Podcast} */
  const toPodcast = ({ url, info }) => ({ url, ...info, subscribers: data.subscribers(url).length });

  const all = () => [...data.podcasts.values()].map(toPodcast);
  /** @param {number} limit */
  const top = (limit) => first(all(), limit).filter(({ subscribers }) => subscribers > 0);

  return {
    async find(urls) {
      return urls.map((url) => data.find(url)).map((entry) => entry && toPodcast(entry));
    },

    async findEpisodes(podcast, names) {
      const episodes = data.find(podcast)?.episodes ?? [];
      return names.map((name) => {
        const found =
          episodes.find(({ shown }) => shown.url === name) ??
          episodes.find(({ urls }) => urls.has(name)) ??
          episodes.find(({ shown }) => shown.guid === name);
        return found?.shown;
      });
    },

    async episodes(podcast, limit) {
      return (data.find(podcast)?.episodes ?? []).slice(0, limit).map(({ shown }) => shown);
    },

    async episodesSince(podcasts, since, limit) {
      const entries = new Set(podcasts.flatMap((url) => data.find(url) ?? []));
      const items = [...entries].flatMap(({ episodes }) =>
        episodes
          .map(({ shown }) => shown)
          .filter(({ stamp }) => stamp >= since)
          .slice(0, limit),
      );
      return { items, mark: Math.max(now(), markAfter(data.directoryStamp)) };
    },

    async announce(podcasts) {
      for (const { url, title = '', description = '', website = '' } of podcasts) {
        const entry = data.find(url);
        if (!entry || entry.feed.fetchedAt !== undefined) continue;
        entry.info = {
          ...entry.info,
          title: entry.info.title || title,
          description: entry.info.description || description,
          website: entry.info.website || website,
        };
      }
    },

    async claimDue(limit, lease) {
      const due = [...data.podcasts.values()].filter(
        ({ url, feed, claimedUntil }) =>
          (feed.nextAt ?? Infinity) <= now() && claimedUntil <= now() && data.subscribers(url).length > 0,
      );
      due.sort((a, b) => Number(a.feed.nextAt) - Number(b.feed.nextAt) || compareText(a.url, b.url));
      return due.slice(0, limit).map((entry) => {
        entry.claimedUntil = now() + lease;
        return { ...entry.feed, url: entry.url };
      });
    },

    async feed(url) {
      const entry = data.find(url);
      return entry && { ...entry.feed, url: entry.url };
    },

    async formerUrls(url) {
      return (data.find(url)?.formerUrls ?? []).toSorted(compareText);
    },

    async *feeds() {
      for (const url of [...data.podcasts.keys()].toSorted(compareText)) {
        const entry = data.podcasts.get(url);
        if (entry) yield { ...entry.feed, url };
      }
    },

    async record(url, reading) {
      const entry = data.find(url);
      if (!entry) throw new StorageError('missing', 'the directory does not know this feed');
      merge(data, entry, reading, now());
    },

    async search(text, limit) {
      return first(search(all(), text), limit);
    },

    async topTags(limit) {
      /** @type {Map<string, Tag>} */
      const tags = new Map();
      for (const { info } of data.podcasts.values()) {
        for (const tag of new Set(info.tags.map(createSlug).filter(Boolean))) {
          const title = data.tagTitles.get(tag) ?? tag;
          tags.set(tag, { tag, title, usage: (tags.get(tag)?.usage ?? 0) + 1 });
        }
      }
      return [...tags.values()].toSorted((a, b) => b.usage - a.usage || compareText(a.tag, b.tag)).slice(0, limit);
    },

    async byTag(tag, limit) {
      const wanted = createSlug(tag);
      const tagged = all().filter(({ tags }) => wanted !== '' && tags.map(createSlug).includes(wanted));
      return first(tagged, limit);
    },

    async top(limit) {
      const lastWeek = data.toplists.findLast(({ at }) => at <= now() - 7 * DAY)?.urls ?? [];
      return top(limit).map((podcast) => ({
        ...podcast,
        positionLastWeek: lastWeek.findIndex((url) => data.find(url)?.url === podcast.url) + 1,
      }));
    },

    async alongside(user, limit) {
      return suggest(data, user, all()).slice(0, limit);
    },

    async rebuildToplist() {
      const latest = data.toplists.at(-1);
      const urls = top(100).map(({ url }) => url);
      if (urls.length > 0 && (!latest || latest.at <= now() - DAY)) data.toplists.push({ at: now(), urls });
      return { podcasts: top(Infinity).length, corrected: 0 }; // counted anew whenever somebody asks
    },

    async logoUrl(hash) {
      const logos = [...data.podcasts.values()].flatMap(({ info }) => info.logoUrl ?? []);
      return logos.find((url) => logoHash(url) === hash);
    },
  };
}

/** @param {Data} data @param {Url[]} urls @param {number} at */
export function meet(data, urls, at) {
  for (const url of urls) {
    if (data.find(url)) continue;
    const feed = { intervalSeconds: 0, failures: 0, nextAt: at };
    data.podcasts.set(url, { url, formerUrls: [], info: EMPTY_INFO, feed, episodes: [], claimedUntil: 0 });
  }
}
