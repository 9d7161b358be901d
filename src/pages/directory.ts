import { countOf } from '../domain/count.ts';
import type { Url } from '../domain/types.ts';
import type { Podcast, Tag } from '../storage/stores.ts';
import { renderBrief, renderFacts, renderLogo, renderPodcastLink } from './parts/components.ts';
import { renderToken } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { tagPage } from './parts/links.ts';
import { attributes, type Markup, markup } from './parts/markup.ts';

/** What the page shows. */
export type DirectoryView =
  | { kind: 'toplist'; tags: readonly Tag[] }
  | { kind: 'search'; text: string }
  | { kind: 'tag'; tag: string }
  | { kind: 'off' };

interface DirectoryPage {
  base: string;
  /** Undefined for visitors who are not signed in. */
  csrf: string | undefined;
  view: DirectoryView;
  podcasts: readonly Podcast[];
  /** Podcasts that the user subscribes to. */
  subscribed: ReadonlySet<Url>;
}

/** The directory: the toplist, the podcasts with a tag, or the results of a search. */
export function renderDirectory(page: DirectoryPage): Page {
  const { base, csrf, view, podcasts } = page;
  const heading = headingOf(view);
  return {
    title: heading,
    search: view.kind === 'search' ? view.text : undefined,
    content: markup`<div class="page-head"><h1>${heading}</h1>
${view.kind === 'search' || view.kind === 'tag' ? markup`<p class="soft"><a href="${base}/directory">Whole directory</a>${renderOwnSearch(page)}</p>` : ''}</div>
${view.kind === 'toplist' ? renderTags(base, view.tags) : ''}
${view.kind === 'toplist' && podcasts.length > 0 ? markup`<h2>Most subscribed</h2>` : ''}
${podcasts.length === 0 ? markup`<p class="soft">${EMPTY_TEXTS[view.kind]}${csrf === undefined ? '' : markup` You can <a href="${base}/subscriptions">subscribe to a feed by its address</a>.`}</p>` : renderFound(page)}`,
  };
}

function headingOf(view: DirectoryView): string {
  if (view.kind === 'search') return `Search: ${view.text}`;
  return view.kind === 'tag' ? `Podcasts tagged ${view.tag}` : 'Directory';
}

/** The same search in the subscriptions of the user, as private ones are not in the directory. */
function renderOwnSearch({ base, csrf, view }: DirectoryPage): Markup | undefined {
  if (csrf === undefined || view.kind !== 'search') return undefined;
  return markup` · <a href="${base}/subscriptions?q=${encodeURIComponent(view.text)}">Search my subscriptions</a>`;
}

const EMPTY_TEXTS: Record<DirectoryView['kind'], string> = {
  toplist: 'No podcast is listed here yet.',
  search: 'No podcast was found.',
  tag: 'No podcast has this tag.',
  off: 'This server has no directory.',
};

function renderTags(base: string, tags: readonly Tag[]): Markup | undefined {
  if (tags.length === 0) return undefined;
  const items = tags.map(({ title }) => markup`<li><a href="${tagPage(base, title)}">${title}</a></li>`);
  return markup`<h2>Tags</h2>\n<ul class="tags">${items}</ul>`;
}

function renderFound({ base, csrf, view, podcasts, subscribed }: DirectoryPage): Markup {
  const action = (url: Url, name: string): Markup | undefined => {
    if (csrf === undefined) return undefined;
    if (subscribed.has(url)) return markup`<span class="soft">Subscribed</span>`;
    return markup`<button class="plain"${attributes({ name: 'url', value: url, 'aria-label': `Subscribe to ${name}` })}>Subscribe</button>`;
  };
  const items = podcasts.map((podcast) => {
    const { url, title, author, description, language, subscribers } = podcast;
    return markup`<li>${renderLogo(base, podcast, 'small')}<div>${renderPodcastLink(base, podcast)}
<div class="soft">${renderFacts([author, countOf(subscribers, 'subscriber')])}${renderBrief(description, language)}</div></div>${action(url, title || url)}</li>
`;
  });
  const list = markup`<ul class="items">${items}</ul>`;
  if (csrf === undefined) return list;
  return markup`<form method="post" action="${base}/subscriptions">${renderToken(csrf)}<input type="hidden" name="next" value="${directoryPath(view)}">
${list}</form>`;
}

function directoryPath(view: DirectoryView): string {
  if (view.kind === 'search') return `/directory?q=${encodeURIComponent(view.text)}`;
  return view.kind === 'tag' ? tagPage('', view.tag) : '/directory';
}
