import type { H3Event } from 'h3';
import { MEDIA_TYPES } from '../formats/format.ts';
import { writeXml } from '../formats/xml.ts';
import { readCount, readParam, readQuery, readScale } from '../http/input.ts';
import { publicBase } from '../http/origin.ts';
import { json, type Reply, toPublic } from '../http/reply.ts';
import { scaledLogo } from '../pages/parts/links.ts';
import { inPages } from '../services/directory/paging.ts';
import type { Services } from '../services/services.ts';
import type { Podcast, RankedPodcast } from '../storage/stores.ts';
import { listReply, listStream } from './list-reply.ts';
import type { Handler, RouteContext } from './route.ts';
import { toEpisodeObject, toPodcastObject } from './wire-objects.ts';

/** The highest `{number}` and `{count}` in a path. */
const MAX_NUMBER = 100;
const MAX_COUNT = 1000;

/** Cached responses of one toplist: anybody may request any callback, under any host name. */
const MAX_CACHED = 16;

const toFields = (
  podcast: Podcast,
  base: string,
  scale: number | undefined,
): Record<string, string | number | null> => ({
  ...toPodcastObject(podcast, base),
  ...(scale !== undefined && { scaled_logo_url: scaledLogo(base, scale, podcast.logoUrl) }),
});

/**
 * The public directory needs no login (spec 4.2). A login only matters for podcasts that are not listed: an account sees
 * its own.
 */
export function createDirectoryRoutes(
  { directory }: Pick<Services, 'directory'>,
  { identity, origin }: RouteContext,
): Record<'tags' | 'tag' | 'podcast' | 'episode' | 'toplist' | 'top50' | 'search' | 'suggestions', Handler> {
  const baseOf = (event: H3Event): string => publicBase(event, origin);

  const podcastsReply = (event: H3Event, title: string, podcasts: readonly Podcast[]): Reply => {
    const base = baseOf(event);
    const scale = readScale(event);
    return listReply(event, podcasts, { title, toJson: (each) => toFields(each, base, scale) });
  };

  const toplistReply = (event: H3Event, podcasts: readonly RankedPodcast[]): Reply => {
    const base = baseOf(event);
    const scale = readScale(event);
    const toJson = (podcast: RankedPodcast) => ({
      ...toFields(podcast, base, scale),
      position_last_week: podcast.positionLastWeek,
    });
    if (readParam(event, 'format') === 'xml') return { type: MEDIA_TYPES.xml, body: writeXml(podcasts.map(toJson)) };
    return listReply(event, podcasts, { title: 'Toplist', toJson });
  };

  /**
   * Cached responses of a toplist, by request: it is requested far more often than it changes. They are reused while the
   * storage returns the same array.
   */
  const toplists = new WeakMap<readonly RankedPodcast[], Map<string, Reply>>();

  return {
    async tags(event) {
      return toPublic(json(await directory.tags(readCount(event, 'count', MAX_COUNT))));
    },

    async tag(event) {
      const podcasts = await directory.tagged(readParam(event, 'tag'), readCount(event, 'count', MAX_COUNT));
      const base = baseOf(event);
      const toJson = (podcast: Podcast) => toPodcastObject(podcast, base);
      return toPublic(listStream(event, inPages(podcasts), { title: '', toJson }));
    },

    async podcast(event) {
      const { podcast, isPublic } = await directory.podcast(readQuery(event, 'url') ?? '', identity.viewer(event));
      return { ...json(toPodcastObject(podcast, baseOf(event))), isPublic };
    },

    async episode(event) {
      const { podcast, episode, isPublic } = await directory.episode(
        readQuery(event, 'podcast') ?? '',
        readQuery(event, 'url') ?? '',
        identity.viewer(event),
      );
      const known = { ...episode, podcast: podcast.url, podcastTitle: podcast.title ?? '' };
      return { ...json(toEpisodeObject(known, baseOf(event))), isPublic };
    },

    async toplist(event) {
      const podcasts = await directory.toplist(readCount(event, 'number', MAX_NUMBER));
      const cached = toplists.get(podcasts) ?? new Map<string, Reply>();
      toplists.set(podcasts, cached);
      const key = [baseOf(event), readParam(event, 'format'), readQuery(event, 'jsonp'), readScale(event)].join(' ');
      const reply = cached.get(key) ?? toPublic(toplistReply(event, podcasts));
      if (cached.size < MAX_CACHED) cached.set(key, reply);
      return reply;
    },

    top50: async (event) => toPublic(toplistReply(event, await directory.toplist(50))),

    async search(event) {
      const podcasts = await directory.search(readQuery(event, 'q') ?? '');
      return toPublic(podcastsReply(event, 'Search results', podcasts));
    },

    async suggestions(event) {
      const user = await identity.user(event);
      const podcasts = await directory.suggestions(user.id, readCount(event, 'number', MAX_NUMBER));
      return podcastsReply(event, `Suggestions for ${user.name}`, podcasts);
    },
  };
}
