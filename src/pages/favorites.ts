import type { DescribedEpisode } from '../services/directory/directory.ts';
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

interface FavoritesPage extends PageNumber {
  base: string;
  /** Those of this page. */
  favorites: readonly DescribedEpisode[];
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

function renderFavorite(base: string, { named, podcast, episode }: DescribedEpisode): Markup {
  const { title = '', releasedAt } = episode;
  const link = { podcast: named.podcast, url: named.episode, title, language: podcast.language ?? '' };
  return markup`<li>${renderLogo(base, podcast, 'small')}<div>${renderEpisodeLink(base, link)}
<div class="soft">${renderFacts([renderKnownPodcast(base, podcast), renderDate(releasedAt)])}</div></div></li>
`;
}
