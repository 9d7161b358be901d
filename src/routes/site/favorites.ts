import { renderFavorites } from '../../pages/favorites.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';
import { pageOf, partOf } from './paging.ts';
import type { Site } from './site.ts';

const PER_PAGE = 50;

/** The favourite episodes of an account, the newest first. */
export const createFavoritesPage = (
  { playback, directory }: Pick<Services, 'playback' | 'directory'>,
  site: Site,
): Handler =>
  site.signedIn(async (event, { id }) => {
    const marked = await directory.describeEpisodes(id, await playback.favorites(id));
    // Once, even if it is marked under several addresses of a podcast that has moved. No address contains a blank.
    const distinct = new Map(marked.map((each) => [`${each.podcast.url} ${each.episode.url}`, each]));
    const all = [...distinct.values()].toSorted(
      ({ episode: a }, { episode: b }) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0),
    );
    const number = pageOf(event, all.length, PER_PAGE);
    const favorites = partOf(all, number, PER_PAGE);
    return site.page(event, ({ base }) => renderFavorites({ base, favorites, ...number }));
  });
