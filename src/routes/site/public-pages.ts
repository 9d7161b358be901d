import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import type { PodcastEntry, Url } from '../../domain/types.ts';
import { readParam, readQuery } from '../../http/input.ts';
import { toPublic } from '../../http/reply.ts';
import { renderEpisode } from '../../pages/episode.ts';
import { renderList } from '../../pages/list.ts';
import { hasDirectory } from '../../pages/parts/layout.ts';
import { renderPodcast } from '../../pages/podcast.ts';
import { renderEmptyProfile, renderUser } from '../../pages/user.ts';
import { isSelf } from '../../services/accounts/accounts.ts';
import type { NamedEpisode } from '../../services/listening/playback.ts';
import type { Services } from '../../services/services.ts';
import { listStream } from '../list-reply.ts';
import type { Handler, RouteContext } from '../route.ts';
import { pageOf, partOf } from './paging.ts';
import type { Site } from './site.ts';

/** Episodes on one page. */
const EPISODES = 50;
/** Podcasts or lists on one page. */
const PER_PAGE = 100;
/** Actions on the page of an episode. */
const ACTIONS = 50;

/** The pages that apps link to (`svc_link` and `web`), and public profiles. */
export function createPublicPages(
  services: Pick<
    Services,
    'accounts' | 'devices' | 'directory' | 'feeds' | 'library' | 'lists' | 'playback' | 'profiles'
  >,
  { identity }: RouteContext,
  site: Site,
): Record<'podcast' | 'episode' | 'list' | 'user' | 'shared', Handler> {
  const { accounts, devices, directory, feeds, library, lists, playback, profiles } = services;

  /** The signed-in user's data of a podcast. */
  const ownPodcast = async (event: H3Event, podcast: Url) => {
    const user = await identity.siteUser(event);
    if (!user) return undefined;
    return {
      subscribed: await library.addresses(user.id, podcast),
      devices: await devices.all(user.id),
      episodes: await playback.episodes(user.id, podcast),
    };
  };

  /** The signed-in user's data of an episode. */
  const ownEpisode = async (event: H3Event, episode: NamedEpisode) => {
    const user = await identity.siteUser(event);
    if (!user) return undefined;
    return { deviceNames: await devices.names(user.id), ...(await playback.episode(user.id, episode, ACTIONS)) };
  };

  /** Undefined for visitors who ask for their own, if nothing in it is public. */
  const findProfile = async (event: H3Event) => {
    const name = readParam(event, 'user');
    try {
      return await profiles.find(name);
    } catch (error) {
      const user = error instanceof Refusal ? await identity.siteUser(event) : undefined;
      if (!user || !isSelf(user, name)) throw error;
      return undefined;
    }
  };

  return {
    async podcast(event) {
      const { podcast, isPublic } = await directory.podcast(readQuery(event, 'url') ?? '', identity.viewer(event));
      const all = await directory.episodes(podcast.url, Infinity);
      const number = pageOf(event, all.length, EPISODES);
      const episodes = partOf(all, number, EPISODES);
      const problem = await feeds.problem(podcast.url);
      const own = await ownPodcast(event, podcast.url);
      const contents = { podcast, episodes, total: all.length, problem, ...number };
      return site.page(
        event,
        (frame) => {
          const owner = own && { csrf: frame.user!.csrf, ...own };
          return renderPodcast({ base: frame.base, hasDirectory: hasDirectory(frame), ...contents, owner });
        },
        { isPrivate: !isPublic },
      );
    },

    async episode(event) {
      const { podcast, episode, isPublic } = await directory.episode(
        readQuery(event, 'podcast') ?? '',
        readQuery(event, 'url') ?? '',
        identity.viewer(event),
      );
      const own = await ownEpisode(event, { podcast: podcast.url, url: episode.url });
      return site.page(
        event,
        ({ base, user }) => renderEpisode({ base, podcast, episode, owner: own && { ...user!, ...own } }),
        { isPrivate: !isPublic },
      );
    },

    async list(event) {
      const user = await accounts.findByName(readParam(event, 'user'));
      const viewer = identity.viewer(event);
      const { urls, owner, ...list } = await lists.findShared(user?.id, readParam(event, 'name'), viewer);
      const number = pageOf(event, urls.length, PER_PAGE);
      const podcasts = await directory.describe(partOf(urls, number, PER_PAGE), owner);
      const contents = { user: user!.name, ...list, ...number, total: urls.length, podcasts };
      return site.page(event, ({ base }) => renderList({ base, ...contents }), { isPrivate: owner !== undefined });
    },

    async user(event) {
      const profile = await findProfile(event);
      if (!profile) return site.page(event, (frame) => renderEmptyProfile(frame, frame.user!.name));
      const { name, urls, lists: all } = profile;
      const number = pageOf(event, Math.max(urls.length, all.length), PER_PAGE);
      const podcasts = await directory.describe(partOf(urls, number, PER_PAGE));
      const contents = { total: urls.length, podcasts, lists: partOf(all, number, PER_PAGE) };
      return site.page(event, ({ base }) => renderUser({ base, name, ...contents, ...number }));
    },

    async shared(event) {
      const { name, urls } = await profiles.find(readParam(event, 'user'));
      const listing = { title: `Subscriptions of ${name}`, toJson: ({ url }: PodcastEntry) => url };
      return toPublic(listStream(event, directory.describePages(urls), listing));
    },
  };
}
