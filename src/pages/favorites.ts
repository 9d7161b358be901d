import type { KnownEpisode, KnownPodcast } from '../services/directory/directory.ts';
import type { EpisodeReference } from '../services/directory/episode-names.ts';
import {
  type PageNumber,
  renderEpisodeLink,
  renderFacts,
  renderKnownPodcast,
  renderLogo,
  renderPager,
} from './parts/components.ts';
import type { Page } from './parts/layout.ts';
import { type Markup, markup } from './parts/markup.ts';
import { renderDate } from './parts/time.ts';

/** An episode, and its podcast, as far as they are known. */
export interface FavoriteEpisode {
  /** As the setting names it: an episode that the directory does not know has a page under these URLs only. */
  named: EpisodeReference;
  podcast: KnownPodcast;
  episode: KnownEpisode;
}

interface FavoritesPage extends PageNumber {
  base: string;
  /** Those of this page. */
  favorites: readonly FavoriteEpisode[];
}

/** The favourite episodes of an account. */
export const renderFavorites = ({ base, favorites, ...number }: FavoritesPage): Page => ({
  title: 'Favourite episodes',
  content: markup`<h1>Favourite episodes</h1>
${favorites.length === 0 ? renderEmpty(base) : markup`<ul class="items">${favorites.map((favorite) => renderFavorite(base, favorite))}</ul>`}
${renderPager(number)}`,
});

const renderEmpty = (base: string): Markup =>
  markup`<p class="card">Nothing yet. Open an episode from your <a href="${base}/subscriptions">subscriptions</a> and choose “Add to favourites”, or mark it in an app that syncs favourites.</p>`;

function renderFavorite(base: string, { named, podcast, episode }: FavoriteEpisode): Markup {
  const { title = '', releasedAt } = episode;
  const link = { podcast: named.podcast, url: named.episode, title, language: podcast.language ?? '' };
  return markup`<li>${renderLogo(base, podcast, 'small')}<div>${renderEpisodeLink(base, link)}
<div class="soft">${renderFacts([renderKnownPodcast(base, podcast), renderDate(releasedAt)])}</div></div></li>
`;
}
