import { groupBy } from '../batches.ts';
import { dayOf } from '../domain/listening.ts';
import { ACTION_TYPES, type ActionType, type EpisodeAction } from '../domain/types.ts';
import type { HistoryEntry, HistoryPage } from '../services/listening/history.ts';
import { renderEpisodeLink, renderFacts, renderLogo, renderPodcastOf } from './parts/components.ts';
import { hasProblems, type Problems, renderField, renderSelect } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { historyPage, type HistoryQuery } from './parts/links.ts';
import { type Markup, markup } from './parts/markup.ts';
import { renderMoment, toClock } from './parts/time.ts';

interface ListedHistory {
  base: string;
  /** The filter, as it was entered. */
  query: HistoryQuery;
  problems?: Problems;
  history: HistoryPage;
  podcasts: readonly { url: string; title: string }[];
  devices: readonly string[];
  /** Names of devices by id. */
  deviceNames: ReadonlyMap<string, string>;
}

const ACTION_NAMES: Readonly<Record<ActionType, string>> = {
  play: 'Played',
  download: 'Downloaded',
  delete: 'Deleted',
  new: 'Marked as new',
};

/** What happened to episodes, by day, the newest first. */
export function renderHistory(page: ListedHistory): Page {
  const { base, query, history, podcasts } = page;
  if (podcasts.length === 0) return { title: 'History', content: markup`${renderHead(base)}${renderEmpty(base)}` };
  const days = [...groupBy(history.entries, ({ timestamp }) => dayOf(timestamp)).values()];
  const filter = { ...query, before: undefined, after: undefined };
  const downloads = hasProblems(page.problems)
    ? undefined
    : markup` · Download <a href="${historyPage(base, filter, 'csv')}" download>CSV</a> or <a href="${historyPage(base, filter, 'json')}" download>JSON</a>`;
  return {
    title: 'History',
    content: markup`${renderHead(base, downloads)}
${renderFilter(page)}
${days.length > 0 ? days.map((entries) => renderDay(page, entries)) : renderNothing(page)}
<p class="pager">${history.newer && markup`<a href="${historyPage(base, { ...filter, after: history.newer })}" rel="prev">Newer</a>`}${history.older && markup`<a href="${historyPage(base, { ...filter, before: history.older })}" rel="next">Older</a>`}</p>
<p class="soft">Days and times are in UTC.</p>`,
  };
}

const renderHead = (base: string, downloads?: Markup): Markup =>
  markup`<div class="page-head"><h1>History</h1><span><a href="${base}/favorites">Favourite episodes</a>${downloads}</span></div>`;

function renderFilter({ base, query, problems = {}, podcasts, devices, deviceNames }: ListedHistory): Markup {
  const any = ['', 'All'] as const;
  return markup`<form class="inline" action="${base}/history">
${renderSelect({ name: 'podcast', label: 'Podcast', value: query.podcast ?? '', options: [any, ...podcasts.map(({ url, title }) => [url, title] as const)] })}
${renderSelect({ name: 'device', label: 'Device', value: query.device ?? '', options: [any, ...devices.map((id) => [id, deviceNames.get(id) ?? id] as const)] })}
${renderSelect({ name: 'action', label: 'Action', value: query.action ?? '', problem: problems.action, options: [any, ...ACTION_TYPES.map((type) => [type, ACTION_NAMES[type]] as const)] })}
${renderField({ name: 'from', label: 'From', type: 'date', value: query.from, problem: problems.from })}
${renderField({ name: 'to', label: 'To', type: 'date', value: query.to, problem: problems.to })}
<button>Show</button></form>`;
}

const renderEmpty = (base: string): Markup =>
  markup`<p class="card">Nothing yet. Episodes that your apps play, download or delete are listed here; <a href="${base}/connect">connect an app</a>.</p>`;

const renderNothing = (page: ListedHistory): Markup | undefined =>
  hasProblems(page.problems)
    ? undefined
    : markup`<p class="card">Nothing in your history matches. <a href="${page.base}/history">Show all</a></p>`;

const renderDay = (page: ListedHistory, entries: readonly HistoryEntry[]): Markup =>
  markup`<h2>${renderMoment(entries[0]!.timestamp, 'weekday')}</h2>
<ul class="items">${entries.map((entry) => renderEntry(page, entry))}</ul>
`;

function renderEntry({ base, deviceNames }: ListedHistory, entry: HistoryEntry): Markup {
  const { device, timestamp } = entry;
  return markup`<li>${renderLogo(base, entry, 'small')}<div>${renderEpisodeLink(base, entry)}
<div class="soft">${renderPodcastOf(base, entry)}</div>
<div class="soft">${renderFacts([renderMoment(timestamp, 'time'), describeAction(entry), device && (deviceNames.get(device) ?? device)])}</div></div></li>
`;
}

/** An episode action as text. */
export function describeAction({ action, play }: EpisodeAction): string {
  if (!play) return ACTION_NAMES[action];
  const { position, started, total } = play;
  if (started === position && position === total) return 'Marked as played';
  const to = started === undefined ? `to ${toClock(position)}` : `${toClock(started)} to ${toClock(position)}`;
  return `${ACTION_NAMES[action]} ${to}${total ? ` of ${toClock(total)}` : ''}`;
}
