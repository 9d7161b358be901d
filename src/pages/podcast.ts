import { countOf } from '../domain/count.ts';
import type { Episode, Podcast } from '../storage/stores.ts';
import type { Page } from './layout.ts';
import { episodePage, tagPage } from './links.ts';
import { type Markup, markup } from './markup.ts';
import { renderBrief, renderDate, renderLink, renderLogo } from './parts.ts';

interface PodcastPage {
  base: string;
  podcast: Podcast;
  /** Newest first. */
  episodes: readonly Episode[];
}

/** What is known of a podcast, for people. */
export function renderPodcast({ base, podcast, episodes }: PodcastPage): Page {
  const { url, title, author, description, website, subscribers, tags } = podcast;
  const name = title || url;
  return {
    title: name,
    content: markup`<article>
<div class="head">${renderLogo(base, podcast)}<div>
<h1>${name}</h1>
${author && markup`<p>${author}</p>`}
<p class="soft">${countOf(subscribers, 'subscriber')}</p>
</div></div>
${tags.length > 0 ? markup`<ul class="tags">${tags.map((tag) => markup`<li><a href="${tagPage(base, tag)}">${tag}</a></li>`)}</ul>` : ''}
${description && markup`<p class="text">${description}</p>`}
<p class="actions">${renderLink(website, 'Website')}${renderLink(url, 'Feed')}</p>
<p class="soft">To subscribe, add this address in your podcast app: <code>${url}</code></p>
<h2>Episodes</h2>
${renderEpisodes(episodes, (episode) => episodePage(base, url, episode.url))}
</article>`,
  };
}

function renderEpisodes(episodes: readonly Episode[], linkTo: (episode: Episode) => string): Markup {
  if (episodes.length === 0) return markup`<p class="soft">None are known yet.</p>`;
  const items = episodes.map(
    (episode) => markup`<li><a href="${linkTo(episode)}">${episode.title || episode.url}</a>
<div class="soft">${renderDate(episode.releasedAt)}${renderBrief(episode.description)}</div></li>
`,
  );
  return markup`<ul class="items">${items}</ul>`;
}
