import { countOf } from '../domain/count.ts';
import type { ListSummary } from '../domain/types.ts';
import type { KnownPodcast } from '../services/directory.ts';
import { renderPage } from './layout.ts';
import { listPage, sharedSubscriptions } from './links.ts';
import { type Markup, markup } from './markup.ts';
import { renderPodcasts } from './parts.ts';

interface UserPage {
  base: string;
  name: string;
  /** The public ones. */
  podcasts: readonly KnownPodcast[];
  lists: readonly ListSummary[];
}

/** What a user shows to everybody. */
export const renderUser = (page: UserPage): string =>
  renderPage(page.name, markup`<h1>${page.name}</h1>\n${renderSubscriptions(page)}${renderLists(page)}`);

function renderSubscriptions({ base, name, podcasts }: UserPage): Markup | undefined {
  if (podcasts.length === 0) return undefined;
  return markup`<p class="soft">${name} listens to ${countOf(podcasts.length, 'podcast')}</p>
<p class="do"><a href="${sharedSubscriptions(base, name)}">OPML for your podcast app</a></p>
${renderPodcasts(base, podcasts)}
`;
}

function renderLists({ base, name, lists }: UserPage): Markup | undefined {
  if (lists.length === 0) return undefined;
  const items = lists.map((list) => markup`<li><a href="${listPage(base, name, list.name)}">${list.title}</a></li>\n`);
  return markup`<h2>Lists</h2>\n<ul class="items">${items}</ul>`;
}
