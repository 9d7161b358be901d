import type { H3Event } from 'h3';
import type { ScopeRequest } from '../domain/scope.ts';
import type { Url, UserId } from '../domain/types.ts';
import { readObject } from '../http/body.ts';
import { readParam, readQuery } from '../http/input.ts';
import { publicBase } from '../http/origin.ts';
import { json } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { Handler, RouteContext } from './route.ts';
import { toEpisodeObject } from './wire-objects.ts';

/** Settings of each scope (spec 4.6), and favorite episodes, which are a setting, too (spec 2.9). */
export function createSettingRoutes(
  { settings, directory }: Pick<Services, 'settings' | 'directory'>,
  { identity, bodyOptions, origin }: RouteContext,
): Record<'get' | 'update' | 'favorites', Handler> {
  /** Keeps the URLs of the setting: apps know the episode by them. */
  const toFavorite = async (user: UserId, favorite: { podcast: Url; episode: Url }, base: string): Promise<unknown> => {
    const { podcast, episode } = await directory.describeEpisode(user, favorite.podcast, favorite.episode);
    const urls = { podcast: favorite.podcast, url: favorite.episode };
    return toEpisodeObject({ ...episode, ...urls, podcastTitle: podcast.title ?? '' }, base);
  };

  return {
    async get(event) {
      const user = await identity.owner(event);
      return json(await settings.get(user.id, readScope(event)));
    },

    async update(event) {
      const user = await identity.owner(event);
      const { set = {}, remove = [] } = await readObject(event, bodyOptions(user.id));
      return json(await settings.update(user.id, readScope(event), { set, remove }));
    },

    async favorites(event) {
      const user = await identity.owner(event);
      const base = publicBase(event, origin);
      const favorites: unknown[] = [];
      // One by one: thousands at once would use up all connections to a database.
      for (const favorite of await settings.favorites(user.id)) {
        favorites.push(await toFavorite(user.id, favorite, base));
      }
      return json(favorites);
    },
  };
}

const readScope = (event: H3Event): ScopeRequest => ({
  scope: readParam(event, 'scope'),
  device: readQuery(event, 'device'),
  podcast: readQuery(event, 'podcast'),
  episode: readQuery(event, 'episode'),
});
