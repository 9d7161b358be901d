import { countOf } from '../domain/count.ts';
import type { ListSummary } from '../domain/types.ts';
import type { KnownPodcast } from '../services/directory/directory.ts';
import { type PageNumber, renderPager, renderPodcasts } from './parts/components.ts';
import type { Frame, Page } from './parts/layout.ts';
import { listPage, sharedSubscriptions } from './parts/links.ts';
import { type Markup, markup } from './parts/markup.ts';

interface UserPage extends PageNumber {
  base: string;
  name: string;
  /** Number of public podcasts of the user. */
  total: number;
  /** The podcasts of this page. */
  podcasts: readonly KnownPodcast[];
  /** The lists of this page. */
  lists: readonly ListSummary[];
}

/** The public profile of a user. */
export const renderUser = (page: UserPage): Page => ({
  title: page.name,
  content: markup`<h1>${page.name}</h1>\n${renderSubscriptions(page)}${renderLists(page)}${renderPager(page)}`,
});

/** Shown instead to the owner of a profile without anything public; others receive a 404. */
export const renderEmptyProfile = ({ base, directory }: Pick<Frame, 'base' | 'directory'>, name: string): Page => ({
  title: name,
  isNarrow: true,
  content: markup`<h1>${name}</h1>
${
  directory === 'off'
    ? markup`<p>This server has no public profiles.</p>`
    : markup`<p>Others cannot see this page, because nothing on it is public. It shows your <a href="${base}/lists">lists</a> and subscriptions if your <a href="${base}/settings#privacy">privacy settings</a> allow it.</p>`
}`,
});

function renderSubscriptions({ base, name, total, podcasts }: UserPage): Markup | undefined {
  if (total === 0) return undefined;
  return markup`<p class="soft">${name} subscribes to ${countOf(total, 'podcast')}</p>
<p class="actions"><a href="${sharedSubscriptions(base, name)}">OPML for your podcast app</a></p>
${renderPodcasts(base, podcasts)}
`;
}

function renderLists({ base, name, lists }: UserPage): Markup | undefined {
  if (lists.length === 0) return undefined;
  const items = lists.map((list) => markup`<li><a href="${listPage(base, name, list.name)}">${list.title}</a></li>\n`);
  return markup`<h2>Lists</h2>\n<ul class="items">${items}</ul>`;
}
