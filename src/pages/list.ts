import { countOf } from '../domain/count.ts';
import type { KnownPodcast } from '../services/directory.ts';
import { renderPage } from './layout.ts';
import { markup } from './markup.ts';
import { renderPodcasts } from './parts.ts';

export interface ListPage {
  title: string;
  /** Who made it. */
  user: string;
  podcasts: readonly KnownPodcast[];
  /** The list for podcast apps. */
  opml: string;
  /** The page of a podcast. */
  linkTo(podcast: KnownPodcast): string;
}

/** A list of podcasts that somebody shares. */
export function renderList({ title, user, podcasts, opml, linkTo }: ListPage): string {
  return renderPage(
    title,
    markup`<h1>${title}</h1>
<p class="soft">A list by ${user}, ${countOf(podcasts.length, 'podcast')}</p>
<p class="do"><a href="${opml}">OPML for your podcast app</a></p>
${renderPodcasts(podcasts, linkTo)}`,
  );
}
