import { countOf } from '../domain/count.ts';
import type { KnownPodcast } from '../services/directory.ts';
import { renderPage } from './layout.ts';
import { listResource } from './links.ts';
import { markup } from './markup.ts';
import { renderPodcasts } from './parts.ts';

interface ListPage {
  base: string;
  /** In its address. */
  name: string;
  title: string;
  /** Who made it. */
  user: string;
  podcasts: readonly KnownPodcast[];
}

/** A list of podcasts that somebody shares. */
export function renderList({ base, name, title, user, podcasts }: ListPage): string {
  return renderPage(
    title,
    markup`<h1>${title}</h1>
<p class="soft">A list by ${user}, ${countOf(podcasts.length, 'podcast')}</p>
<p class="do"><a href="${listResource(base, user, name, 'opml')}">OPML for your podcast app</a></p>
${renderPodcasts(base, podcasts)}`,
  );
}
