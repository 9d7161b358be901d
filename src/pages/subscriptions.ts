import { countOf } from '../domain/count.ts';
import { deviceNames, withoutBrowser } from '../domain/device.ts';
import type { Device } from '../domain/types.ts';
import type { KnownPodcast } from '../services/directory/directory.ts';
import type { LibraryOrder, LibraryPodcast, OnDevices } from '../services/sync/library.ts';
import {
  languageAttribute,
  type PageNumber,
  renderFacts,
  renderFeedText,
  renderLogo,
  renderPager,
  renderPodcastLink,
} from './parts/components.ts';
import { renderDeviceChoice } from './parts/device.ts';
import { type Problems, renderField, renderNotice, renderProblem, renderSelect, renderToken } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { ownSubscriptions, podcastPage } from './parts/links.ts';
import { attributes, type Markup, markup } from './parts/markup.ts';
import { renderDate, toDuration } from './parts/time.ts';

/** Filter, order and layout of the page. */
export interface SubscriptionsView {
  text: string;
  order: LibraryOrder;
  layout: 'grid' | 'list';
}

/** The last change, shown as a notice. */
export type SubscriptionsNotice =
  | { kind: 'subscribed'; podcast: KnownPodcast; lostCredentials: boolean }
  | { kind: 'removed'; podcasts: readonly (KnownPodcast & OnDevices)[] }
  | { kind: 'imported'; count: number };

interface SubscriptionsPage extends PageNumber {
  base: string;
  csrf: string;
  hasDirectory: boolean;
  user: string;
  devices: readonly Device[];
  view: SubscriptionsView;
  /** Number of podcasts of the account. */
  total: number;
  /** Number of podcasts that match the filter. */
  found: number;
  /** The podcasts of this page. */
  podcasts: readonly LibraryPodcast[];
  notice?: SubscriptionsNotice | undefined;
  /** What was entered to subscribe, and its errors. */
  entered?: { url: string; device: string };
  problems?: Problems;
}

/** The subscriptions of an account, to browse and change. */
export function renderSubscriptions(page: SubscriptionsPage): Page {
  const { base, user, total, problems = {} } = page;
  const [opml, json, txt] = ['opml', 'json', 'txt'].map(
    (format) => markup`<a href="${ownSubscriptions(base, user, format)}" download>${format.toUpperCase()}</a>`,
  );
  return {
    title: 'Subscriptions',
    content: markup`<div class="page-head"><h1>Subscriptions</h1>
<p class="soft">${total > 0 ? markup`${countOf(total, 'podcast')} · Download ${opml}, ${json} or ${txt} · ` : ''}<a href="${base}/subscriptions/import">Import OPML</a></p></div>
${renderProblem(problems.form)}
${renderLastChange(page)}
${renderSubscribe(page)}
${total === 0 ? renderEmpty(page) : renderLibrary(page)}`,
  };
}

function renderEmpty({ base, hasDirectory }: SubscriptionsPage): Markup {
  const others = hasDirectory
    ? markup`, <a href="${base}/subscriptions/import">import an OPML file</a>, or browse the <a href="${base}/directory">directory</a>`
    : markup` or <a href="${base}/subscriptions/import">import an OPML file</a>`;
  return markup`<p class="soft">Nothing here yet. Enter the address of a feed above${others}. What your podcast apps subscribe to appears here after they have synced.</p>`;
}

const renderSubscribe = ({
  base,
  csrf,
  devices,
  entered,
  problems = {},
}: SubscriptionsPage): Markup => markup`<form method="post" action="${base}/subscriptions" class="inline">
${renderToken(csrf)}
${renderField({ name: 'url', label: 'Subscribe to a feed', value: entered?.url, problem: problems.url, input: { required: true, inputmode: 'url', autocapitalize: 'none', spellcheck: 'false', placeholder: 'https://' } })}
${renderDeviceChoice({ devices, value: entered?.device, problem: problems.device })}
<button>Subscribe</button>
</form>`;

function renderLastChange({ base, csrf, view, notice }: SubscriptionsPage): Markup | undefined {
  if (!notice) return undefined;
  if (notice.kind === 'imported') return renderNotice(`Subscribed to ${countOf(notice.count, 'podcast')}.`);
  if (notice.kind === 'subscribed') {
    const without = notice.lostCredentials
      ? ', but without the user name and password in its address: this server does not keep them'
      : '';
    return renderNotice(markup`Subscribed to ${renderPodcastLink(base, notice.podcast)}${without}.`);
  }
  const { podcasts } = notice;
  const [first] = podcasts;
  if (!first) return undefined;
  const what =
    podcasts.length === 1
      ? renderFeedText(first.title || first.url, first.language)
      : countOf(podcasts.length, 'podcast');
  const fields = podcasts.map(
    (podcast) => markup`<input type="hidden" name="removed" value="${writeRemoved(podcast)}">`,
  );
  return renderNotice(
    markup`Unsubscribed from ${what}. <form method="post" action="${base}${subscriptionsPath(view, '/restore')}">${renderToken(csrf)}${fields}<button class="link">Undo</button></form>`,
  );
}

/** A feed and its devices as a form field: a URL contains no space, and a device id no slash. */
const writeRemoved = ({ url, devices }: OnDevices): string => `${url} ${devices.join('/')}`;

/** Parses a field written by `writeRemoved`. */
export function readRemoved(field: string): OnDevices {
  const at = field.indexOf(' ');
  return { url: field.slice(0, at), devices: field.slice(at + 1).split('/') };
}

function renderLibrary(page: SubscriptionsPage): Markup {
  const { base, csrf, devices, view, podcasts, found } = page;
  const names = deviceNames(devices);
  const expected = withoutBrowser(devices.map(({ id }) => id));
  const onDevices = (podcast: LibraryPodcast): string | undefined => {
    if (devices.length < 2) return undefined;
    if (expected.every((id) => podcast.devices.includes(id))) return 'All devices';
    return podcast.devices.map((id) => names.get(id)).join(', ');
  };
  const render = view.layout === 'grid' ? renderTile : renderRow;
  const items = podcasts.map((podcast) => {
    const listened = podcast.listened ? `${toDuration(podcast.listened)} listened` : undefined;
    return render(base, podcast, [onDevices(podcast), listened]);
  });
  return markup`${renderFilter(page)}
${found === 0 ? markup`<p class="soft">No podcast matches “${view.text}”.</p>` : ''}
<form method="post" action="${base}${subscriptionsPath(view, '/remove')}">${renderToken(csrf)}
<ul class="${view.layout === 'grid' ? 'grid' : 'items'}">
${items}</ul>
${found > 0 ? renderRemoval(devices) : ''}
</form>
${renderPager(page, toQuery(view))}`;
}

/** The path of the page or one of its forms, with the parameters of the view. */
export function subscriptionsPath(
  view: SubscriptionsView,
  form = '',
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...toQuery(view), ...more }).toString();
  return `/subscriptions${form}${query && `?${query}`}`;
}

/** The parameters of a view that differ from the default. */
const toQuery = ({ text, order, layout }: SubscriptionsView): Record<string, string> => ({
  ...(text && { q: text }),
  ...(order !== 'name' && { sort: order }),
  ...(layout !== 'grid' && { view: layout }),
});

const ORDERS = [
  ['name', 'Name'],
  ['newest', 'Newest episode'],
  ['listened', 'Most listened'],
] as const satisfies readonly (readonly [LibraryOrder, string])[];

const LAYOUTS = [
  ['grid', 'Grid'],
  ['list', 'List'],
] as const;

const renderFilter = ({
  base,
  view,
}: SubscriptionsPage): Markup => markup`<form action="${base}/subscriptions" class="inline" role="search" aria-label="Your subscriptions" data-submit-on-change>
${renderField({ name: 'q', label: 'Filter', type: 'search', value: view.text })}
${renderSelect({ name: 'sort', label: 'Sort by', options: ORDERS, value: view.order })}
${renderSelect({ name: 'view', label: 'Show as', options: LAYOUTS, value: view.layout })}
<button class="plain">Apply</button>
</form>`;

const renderRemoval = (devices: readonly Device[]): Markup => markup`<div class="form-bar">
<span>Selected podcasts</span>${renderDeviceChoice({ devices, id: 'remove-device' })}
<button class="danger">Unsubscribe</button>
</div>`;

const renderPick = (url: string, name: string): Markup =>
  markup`<input type="checkbox"${attributes({ name: 'podcast', value: url, 'aria-label': `Select ${name}` })}>`;

function renderTile(base: string, podcast: LibraryPodcast, details: readonly (string | undefined)[]): Markup {
  const name = podcast.title || podcast.url;
  return markup`<li>${renderPick(podcast.url, name)}<a href="${podcastPage(base, podcast.url)}">${renderLogo(base, podcast, 'large')}<span${languageAttribute(podcast.language)}>${name}</span></a>
<div class="soft">${renderFacts(details)}</div></li>
`;
}

function renderRow(base: string, podcast: LibraryPodcast, details: readonly (string | undefined)[]): Markup {
  const { url, title, author, language, newest } = podcast;
  const latest =
    newest &&
    markup`<div class="soft">${renderFacts([renderFeedText(newest.title, language), renderDate(newest.releasedAt)])}</div>`;
  return markup`<li>${renderPick(url, title || url)}${renderLogo(base, podcast, 'small')}<div>${renderPodcastLink(base, podcast)}
<div class="soft">${renderFacts([author, ...details])}</div>${latest}</div></li>
`;
}
