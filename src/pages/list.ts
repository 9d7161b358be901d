import { countOf } from '../domain/count.ts';
import type { KnownPodcast } from '../services/directory/directory.ts';
import { type PageNumber, renderPager, renderPodcasts } from './parts/components.ts';
import type { Page } from './parts/layout.ts';
import { listResource } from './parts/links.ts';
import { markup } from './parts/markup.ts';

interface ListPage extends PageNumber {
  base: string;
  /** Part of its address. */
  name: string;
  title: string;
  /** Its owner. */
  user: string;
  /** Number of podcasts on the list. */
  total: number;
  /** The podcasts of this page. */
  podcasts: readonly KnownPodcast[];
}

/** The public page of a podcast list. */
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
