import type { Episode, Podcast } from '../storage/stores.ts';
import type { Page } from './layout.ts';
import { podcastPage } from './links.ts';
import { markup } from './markup.ts';
import { renderDate, renderLink, renderLogo } from './parts.ts';

interface EpisodePage {
  base: string;
  podcast: Podcast;
  episode: Episode;
}

/** What is known of an episode, for people. */
export function renderEpisode({ base, podcast, episode }: EpisodePage): Page {
  const { title, url, description, website, releasedAt } = episode;
  const name = title || url;
  return {
    title: name,
    content: markup`<article>
<div class="head">${renderLogo(base, podcast)}<div>
<p class="soft"><a href="${podcastPage(base, podcast.url)}">${podcast.title || podcast.url}</a></p>
<h1>${name}</h1>
<p class="soft">${renderDate(releasedAt)}</p>
</div></div>
<p class="actions">${renderLink(url, 'Listen')}${renderLink(website, 'Website')}</p>
${description && markup`<p class="text">${description}</p>`}
</article>`,
  };
}
