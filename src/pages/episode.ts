import type { Episode, Podcast } from '../storage/contract.ts';
import { renderPage } from './layout.ts';
import { markup } from './markup.ts';
import { renderDate, renderLink, renderLogo } from './parts.ts';

export interface EpisodePage {
  podcast: Podcast;
  episode: Episode;
  /** Where the logo of the podcast is, in a size of 256 pixels. */
  logo: string;
  /** The page of the podcast. */
  podcastLink: string;
}

/** What is known of an episode, for people. */
export function renderEpisode({ podcast, episode, logo, podcastLink }: EpisodePage): string {
  const { title, url, description, website, releasedAt } = episode;
  const name = title || url;
  return renderPage(
    name,
    markup`<article>
<div class="head">${renderLogo(logo)}<div>
<p class="soft"><a href="${podcastLink}">${podcast.title || podcast.url}</a></p>
<h1>${name}</h1>
<p class="soft">${renderDate(releasedAt)}</p>
</div></div>
<p class="do">${renderLink(url, 'Listen')}${renderLink(website, 'Website')}</p>
${description && markup`<p class="text">${description}</p>`}
</article>`,
  );
}
