import { type FavoriteEpisode, renderFavorites } from '../../pages/favorites.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';
import { pageOf, partOf } from './paging.ts';
import type { Site } from './site.ts';

const PER_PAGE = 50;

/** The favourite episodes of an account, by podcast. */
export const createFavoritesPage = (
  { settings, directory }: Pick<Services, 'settings' | 'directory'>,
  site: Site,
): Handler =>
  site.signedIn(async (event, { id }) => {
    const all = await settings.favorites(id);
    const number = pageOf(event, all.length, PER_PAGE);
    const favorites: FavoriteEpisode[] = [];
    for (const named of partOf(all, number, PER_PAGE)) {
      favorites.push({ named, ...(await directory.describeEpisode(id, named.podcast, named.episode)) });
    }
    return site.page(event, ({ base }) => renderFavorites({ base, favorites, ...number }));
  });
