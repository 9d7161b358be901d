import type { H3Event } from 'h3';
import type { ScopeRequest } from '../domain/scope.ts';
import { readObject } from '../http/body.ts';
import { readParam, readQuery } from '../http/input.ts';
import { publicBase } from '../http/origin.ts';
import { json } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { Handler, RouteContext } from './route.ts';
import { toEpisodeObject } from './wire-objects.ts';

/** Settings of each scope (spec 4.6), and favorite episodes, which are a setting, too (spec 2.9). */
export function createSettingRoutes(
  { settings, playback, directory }: Pick<Services, 'settings' | 'playback' | 'directory'>,
  { identity, bodyOptions, origin }: RouteContext,
): Record<'get' | 'update' | 'favorites', Handler> {
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
      const favorites = await directory.describeEpisodes(user.id, await playback.favorites(user.id));
      return json(
        favorites.map(({ named, podcast, episode }) => {
          const urls = { podcast: named.podcast, url: named.episode }; // apps know the episode by them
          return toEpisodeObject({ ...episode, ...urls, podcastTitle: podcast.title ?? '' }, base);
        }),
      );
    },
  };
}

const readScope = (event: H3Event): ScopeRequest => ({
  scope: readParam(event, 'scope'),
  device: readQuery(event, 'device'),
  podcast: readQuery(event, 'podcast'),
  episode: readQuery(event, 'episode'),
});
