import type { H3Event } from 'h3';
import { Refusal } from '../../domain/errors.ts';
import type { PodcastEntry } from '../../domain/types.ts';
import { readPage, readParam, readQuery } from '../../http/input.ts';
import { toPublic } from '../../http/reply.ts';
import { renderEpisode } from '../../pages/episode.ts';
import { renderList } from '../../pages/list.ts';
import type { PageNumber } from '../../pages/parts.ts';
import { renderPodcast } from '../../pages/podcast.ts';
import { renderUser } from '../../pages/user.ts';
import type { Services } from '../../services/services.ts';
import { listStream } from '../list-reply.ts';
import { type Handler, type RouteContext, viewerOf } from '../route.ts';
import { openSharedList } from '../shared-list.ts';
import type { Site } from './site.ts';

const EPISODES = 50;
/** Podcasts, and lists, on one page. */
const PER_PAGE = 100;

/** The page that is asked for, of so many items. Throws `missing` where there are not so many. */
function pageOf(event: H3Event, items: number): PageNumber {
  const number = { page: readPage(event), pages: Math.max(1, Math.ceil(items / PER_PAGE)) };
  if (number.page > number.pages) throw new Refusal('missing', 'there is no such page; see the first one');
  return number;
}

const partOf = <Item>(items: readonly Item[], { page }: PageNumber): readonly Item[] =>
  items.slice((page - 1) * PER_PAGE, page * PER_PAGE);

/** What `svc_link` and `web` lead to, and what a user shows. */
export function createPageRoutes(
  services: Pick<Services, 'accounts' | 'directory' | 'lists' | 'profiles'>,
  { identity }: Pick<RouteContext, 'identity'>,
  site: Site,
): Record<'podcast' | 'episode' | 'list' | 'user' | 'shared', Handler> {
  const { accounts, directory, lists, profiles } = services;
  return {
    async podcast(event) {
      const viewer = viewerOf(event, identity);
      const { podcast, isPublic } = await directory.podcast(readQuery(event, 'url') ?? '', viewer);
      const episodes = await directory.episodes(podcast.url, EPISODES);
      return site.page(event, ({ base }) => renderPodcast({ base, podcast, episodes }), { isPrivate: !isPublic });
    },

    async episode(event) {
      const { podcast, episode, isPublic } = await directory.episode(
        readQuery(event, 'podcast') ?? '',
        readQuery(event, 'url') ?? '',
        viewerOf(event, identity),
      );
      return site.page(event, ({ base }) => renderEpisode({ base, podcast, episode }), { isPrivate: !isPublic });
    },

    async list(event) {
      const user = await accounts.named(readParam(event, 'user'));
      const { urls: all, ...list } = await lists.find(user?.id, readParam(event, 'name'));
      const { urls, owner } = await openSharedList(event, { urls: all, owner: user!.id }, { directory, identity });
      const number = pageOf(event, urls.length);
      const podcasts = await directory.describe(partOf(urls, number), owner);
      const shown = { user: user!.name, ...list, ...number, total: urls.length, podcasts };
      return site.page(event, ({ base }) => renderList({ base, ...shown }), { isPrivate: owner !== undefined });
    },

    async user(event) {
      const { name, urls, lists: all } = await profiles.find(readParam(event, 'user'));
      const number = pageOf(event, Math.max(urls.length, all.length));
      const podcasts = await directory.describe(partOf(urls, number));
      const shown = { total: urls.length, podcasts, lists: partOf(all, number) };
      return site.page(event, ({ base }) => renderUser({ base, name, ...shown, ...number }));
    },

    async shared(event) {
      const { name, urls } = await profiles.find(readParam(event, 'user'));
      const listing = { title: `Subscriptions of ${name}`, toJson: ({ url }: PodcastEntry) => url };
      return toPublic(listStream(event, directory.describePages(urls), listing));
    },
  };
}
