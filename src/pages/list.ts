import { countOf } from '../domain/count.ts';
import type { KnownPodcast } from '../services/directory/directory.ts';
import type { Page } from './layout.ts';
import { listResource } from './links.ts';
import { markup } from './markup.ts';
import { type PageNumber, renderPager, renderPodcasts } from './components.ts';

interface ListPage extends PageNumber {
  base: string;
  /** In its address. */
  name: string;
  title: string;
  /** Who made it. */
  user: string;
  /** How many podcasts are on the list. */
  total: number;
  /** Those of this page. */
  podcasts: readonly KnownPodcast[];
}

/** A list of podcasts that somebody shares. */
export function renderList({ base, name, title, user, total, podcasts, ...number }: ListPage): Page {
  return {
    title,
    content: markup`<h1>${title}</h1>
<p class="soft">A list by ${user}, ${countOf(total, 'podcast')}</p>
<p class="actions"><a href="${listResource(base, user, name, 'opml')}">OPML for your podcast app</a></p>
${renderPodcasts(base, podcasts)}
${renderPager(number)}`,
  };
}
