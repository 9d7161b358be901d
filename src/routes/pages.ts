import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import { readParam, readQuery } from '../http/input.ts';
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
      return page(renderHome({ base: baseOf(event), isOpen: await registration.isOpen(undefined) }));
    },

    async podcast(event) {
      const podcast = await directory.podcast(readQuery(event, 'url') ?? '');
      const episodes = await directory.episodes(podcast.url, EPISODES);
      return page(renderPodcast({ base: baseOf(event), podcast, episodes }));
    },

    async episode(event) {
      const { podcast, episode } = await directory.episode(
        readQuery(event, 'podcast') ?? '',
        readQuery(event, 'url') ?? '',
      );
      return page(renderEpisode({ base: baseOf(event), podcast, episode }));
    },

    async list(event) {
      const user = await accounts.named(readParam(event, 'user'));
      if (!user) throw new Refusal('missing', 'there is no user with this name');
      const { name, title, urls } = await lists.find(user.id, readParam(event, 'name'));
      const podcasts = await directory.describe(urls);
      return page(renderList({ base: baseOf(event), name, title, user: user.name, podcasts }));
    },

    async user(event) {
      const profile = await profiles.find(readParam(event, 'user'));
      return page(renderUser({ base: baseOf(event), ...profile }));
    },

    async shared(event) {
      const { name, podcasts } = await profiles.find(readParam(event, 'user'));
      return toPublic(listReply(event, { title: `Subscriptions of ${name}`, podcasts, json: undefined }));
    },
  };
}
