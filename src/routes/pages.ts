import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import { readParam, readQuery } from '../http/input.ts';
import {
  episodePage,
  listPage,
  listResource,
  podcastPage,
  registerPage,
  scaledLogo,
  sharedSubscriptions,
} from '../http/links.ts';
import { publicBase } from '../http/origin.ts';
import { type Reply, toPublic } from '../http/reply.ts';
import { renderEpisode } from '../pages/episode.ts';
import { renderHome } from '../pages/home.ts';
import { renderList } from '../pages/list.ts';
import { renderPodcast } from '../pages/podcast.ts';
import { PAGE_POLICY } from '../pages/style.ts';
import { renderUser } from '../pages/user.ts';
import type { Services } from '../services/services.ts';
import { listReply } from './list-reply.ts';
import type { Handler, RouteContext } from './route.ts';

const EPISODES = 50;
/** Twice the size that it is shown in, for fine screens. */
const LOGO = 256;

const page = (body: string): Reply =>
  toPublic({ type: 'text/html; charset=utf-8', body, headers: { 'content-security-policy': PAGE_POLICY } });

/** What the address of the server, `svc_link` and `web` lead to, and what a user shows. */
export function createPageRoutes(
  services: Pick<Services, 'accounts' | 'directory' | 'lists' | 'profiles' | 'registration'>,
  { origin }: RouteContext,
): Record<'home' | 'podcast' | 'episode' | 'list' | 'user' | 'shared', Handler> {
  const { accounts, directory, lists, profiles, registration } = services;
  const baseOf = (event: H3Event): string => publicBase(event, origin);
  return {
    async home(event) {
      const server = baseOf(event);
      const register = (await registration.isOpen(undefined)) ? registerPage(server) : undefined;
      return page(renderHome({ server, register }));
    },

    async podcast(event) {
      const podcast = await directory.podcast(readQuery(event, 'url') ?? '');
      const base = baseOf(event);
      const body = renderPodcast({
        podcast,
        episodes: await directory.episodes(podcast.url, EPISODES),
        logo: scaledLogo(base, LOGO, podcast.logoUrl),
        linkTo: (episode) => episodePage(base, podcast.url, episode.url),
      });
      return page(body);
    },

    async episode(event) {
      const { podcast, episode } = await directory.episode(
        readQuery(event, 'podcast') ?? '',
        readQuery(event, 'url') ?? '',
      );
      const base = baseOf(event);
      const logo = scaledLogo(base, LOGO, podcast.logoUrl);
      return page(renderEpisode({ podcast, episode, logo, podcastLink: podcastPage(base, podcast.url) }));
    },

    async list(event) {
      const user = await accounts.named(readParam(event, 'user'));
      if (!user) throw new Refusal('missing', 'there is no user with this name');
      const { name, title, urls } = await lists.find(user.id, readParam(event, 'name'));
      const base = baseOf(event);
      const body = renderList({
        title,
        user: user.name,
        podcasts: await directory.describe(urls),
        opml: listResource(base, user.name, name, 'opml'),
        linkTo: (podcast) => podcastPage(base, podcast.url),
      });
      return page(body);
    },

    async user(event) {
      const profile = await profiles.find(readParam(event, 'user'));
      const { name } = profile;
      const base = baseOf(event);
      const body = renderUser({
        ...profile,
        opml: sharedSubscriptions(base, name),
        linkTo: (podcast) => podcastPage(base, podcast.url),
        linkToList: (list) => listPage(base, name, list.name),
      });
      return page(body);
    },

    async shared(event) {
      const { name, podcasts } = await profiles.find(readParam(event, 'user'));
      return toPublic(listReply(event, { title: `Subscriptions of ${name}`, podcasts, json: undefined }));
    },
  };
}
