import type { KnownEpisode, KnownPodcast } from '../services/directory.ts';
import type { Page } from './layout.ts';
import { markup } from './markup.ts';
import { renderDate, renderLink, renderLogo, renderPodcastLink } from './parts.ts';

interface EpisodePage {
  base: string;
  podcast: KnownPodcast;
  episode: KnownEpisode;
}

/** What is known of an episode, for people. */
export function renderEpisode({ base, podcast, episode }: EpisodePage): Page {
  const { title, url, description, website = '', releasedAt } = episode;
  const name = title || url;
  return {
    title: name,
    content: markup`<article>
<div class="head">${renderLogo(base, podcast)}<div>
<p class="soft">${renderPodcastLink(base, podcast)}</p>
<h1>${name}</h1>
<p class="soft">${renderDate(releasedAt)}</p>
</div></div>
<p class="actions">${renderLink(url, 'Listen')}${renderLink(website, 'Website')}</p>
${description && markup`<p class="text">${description}</p>`}
</article>`,
  };
}
