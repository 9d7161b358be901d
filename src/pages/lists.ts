import { countOf } from '../domain/count.ts';
import type { ListSummary } from '../domain/types.ts';
import type { DirectoryMode } from '../options.ts';
import type { KnownPodcast } from '../services/directory/directory.ts';
import { type PageNumber, renderKnownPodcast, renderLogo, renderPager } from './parts/components.ts';
import {
  type Problems,
  renderConfirmation,
  renderField,
  renderNotice,
  renderProblem,
  renderToken,
} from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { listPage, ownListPage } from './parts/links.ts';
import { attributes, type Markup, markup } from './parts/markup.ts';

interface ListsPage {
  base: string;
  csrf: string;
  directory: DirectoryMode;
  user: string;
  lists: readonly ListSummary[];
  notice?: string | undefined;
  /** What was entered for a new list, and its errors. */
  title?: string;
  problems?: Problems;
}

/** The lists of an account, for its owner. */
export const renderLists = ({ base, csrf, directory, user, lists, notice, title, problems = {} }: ListsPage): Page => ({
  title: 'Lists',
  isNarrow: true,
  content: markup`<h1>Lists</h1>
<p class="soft">Collections of podcasts to share: ${directory === 'members' ? 'anyone who is signed in can see the page of a list, and everyone can read it as OPML, as podcast apps do' : 'anyone with the link can see a list, and podcast apps can subscribe to it as OPML'}.</p>
${renderProblem(problems.form)}${renderNotice(notice)}
<form method="post" action="${base}/lists" class="inline">${renderToken(csrf)}
${renderField({ name: 'title', label: 'New list', value: title, problem: problems.title, input: { required: true, maxlength: 255, placeholder: 'Title' } })}
<button>Create</button>
</form>
${lists.length === 0 ? markup`<p class="soft">You have no lists yet.</p>` : renderOrdered(base, csrf, user, lists)}`,
});

function renderOrdered(base: string, csrf: string, user: string, lists: readonly ListSummary[]): Markup {
  const items = lists.map(
    (list, at) => markup`<li><div><bdi><a href="${ownListPage(base, list.name)}">${list.title}</a></bdi>
<div class="soft"><a${attributes({ href: listPage(base, user, list.name), 'aria-label': `Public page of ${list.title}` })}>Public page</a></div></div>
${lists.length > 1 ? markup`<span>${renderMove(base, list, 'up', at === 0)} ${renderMove(base, list, 'down', at === lists.length - 1)}</span>` : ''}</li>
`,
  );
  return markup`<form method="post">${renderToken(csrf)}<ul class="items">${items}</ul></form>`;
}

function renderMove(base: string, { name, title }: ListSummary, way: 'up' | 'down', isAtEnd: boolean): Markup {
  const attrs = attributes({
    id: `${way}-${name}`,
    formaction: `${ownListPage(base, name)}/${way}#${way}-${name}`, // it has the focus on the next page, too
    'aria-label': `Move ${title} ${way}`,
    disabled: isAtEnd,
  });
  return markup`<button class="plain"${attrs}>${way === 'up' ? '↑' : '↓'}</button>`;
}

interface OwnListPage extends PageNumber {
  base: string;
  csrf: string;
  user: string;
  name: string;
  title: string;
  /** Number of podcasts on the list. */
  total: number;
  /** The podcasts of this page. */
  podcasts: readonly KnownPodcast[];
  /** Subscriptions of the account, as suggestions. */
  suggested: readonly KnownPodcast[];
  notice?: string | undefined;
  /** What was entered, and its errors. */
  entered?: { title?: string; url?: string };
  problems?: Problems;
}

/** One list, for its owner. */
export function renderOwnList(list: OwnListPage): Page {
  const { base, csrf, user, name, title, total, suggested, notice, entered = {}, problems = {} } = list;
  const path = ownListPage(base, name);
  const shared = listPage(base, user, name);
  const options = suggested.map((podcast) => markup`<option value="${podcast.url}">${podcast.title}</option>\n`);
  return {
    title,
    isNarrow: true,
    content: markup`<p class="soft"><a href="${base}/lists">Lists</a></p>
<h1>${title}</h1>
${renderProblem(problems.form)}${renderNotice(notice)}
<p class="soft">${countOf(total, 'podcast')} · Public link: <a href="${shared}">${shared}</a></p>
<form method="post" action="${path}/add" class="inline">${renderToken(csrf)}
${renderField({ name: 'url', label: 'Add a podcast', value: entered.url, problem: problems.url, input: { required: true, list: 'suggested', inputmode: 'url', autocapitalize: 'none', spellcheck: 'false', placeholder: 'Address of a feed' } })}
<datalist id="suggested">${options}</datalist>
<button>Add</button>
</form>
${total === 0 ? markup`<p class="soft">Nothing on this list yet.</p>` : renderPodcastsOf(list)}
${renderPager(list)}
<h2>Rename</h2>
<form method="post" action="${path}/rename" class="inline">${renderToken(csrf)}
${renderField({ name: 'title', label: 'Title', value: entered.title ?? title, problem: problems.title, hint: 'The link stays the same.', input: { required: true, maxlength: 255 } })}
<button class="plain">Rename</button>
</form>
<h2>Delete</h2>
<form method="post" action="${path}/delete">${renderToken(csrf)}
${renderConfirmation('Delete this list and its public link. This cannot be undone.', 'Your subscriptions stay.')}
<p class="actions"><button class="danger">Delete this list</button></p>
</form>`,
  };
}

function renderPodcastsOf({ base, csrf, name, podcasts }: OwnListPage): Markup {
  const items = podcasts.map((podcast) => {
    const { url, title, author } = podcast;
    const known = title || url;
    return markup`<li>${renderLogo(base, podcast, 'small')}<div>${renderKnownPodcast(base, podcast)}
<div class="soft">${author}</div></div><button class="plain"${attributes({ name: 'url', value: url, 'aria-label': `Remove ${known}` })}>Remove</button></li>
`;
  });
  return markup`<form method="post" action="${ownListPage(base, name)}/remove">${renderToken(csrf)}<ul class="items">${items}</ul></form>`;
}
