import { FINISHED_WITHIN } from '../domain/listening.ts';
import type { Seconds } from '../domain/types.ts';
import { type ListeningStatistics, RANGES, type StatisticsRange } from '../services/listening/statistics.ts';
import { renderBars, renderHeatMap, renderShare } from './parts/chart.ts';
import { renderPodcastLink } from './parts/components.ts';
import type { Page } from './parts/layout.ts';
import { historyPage } from './parts/links.ts';
import { type Markup, markup } from './parts/markup.ts';
import { formatTime, toDuration } from './parts/time.ts';

interface StatisticsPage {
  base: string;
  name: string;
  statistics: ListeningStatistics;
  /** Names of devices by id. */
  deviceNames: ReadonlyMap<string, string>;
}

const RANGE_NAMES: Readonly<Record<StatisticsRange, string>> = {
  '30d': '30 days',
  '90d': '90 days',
  year: 'A year',
  all: 'All',
};

const STEPS = {
  day: { heading: 'Day', as: 'date' },
  week: { heading: 'Week from', as: 'date' },
  month: { heading: 'Month', as: 'month' },
  year: { heading: 'Year', as: 'year' },
} as const;

export const renderStatistics = (page: StatisticsPage): Page => ({
  title: 'Statistics',
  content: markup`<div class="page-head"><h1>Statistics</h1>
<nav class="tags" aria-label="Range">${RANGES.map((range) => renderRange(page, range))}</nav></div>
${page.statistics.plays === 0 && page.statistics.finishedEpisodes === 0 ? renderNothing(page) : renderEverything(page)}
${renderExplanation(page)}`,
});

const renderRange = ({ base, statistics }: StatisticsPage, range: StatisticsRange): Markup =>
  markup`<a href="${base}/statistics?range=${range}"${range === statistics.range ? markup` aria-current="true"` : ''}>${RANGE_NAMES[range]}</a>`;

const renderNothing = ({ base, statistics }: StatisticsPage): Markup =>
  markup`<p class="card">No app has reported listening time ${statistics.range === 'all' ? 'yet' : 'in this range'}. Everything that was synced is in your <a href="${base}/history">history</a>.</p>`;

function renderEverything({ base, statistics, deviceNames }: StatisticsPage): Markup {
  const { listened, days, longestStreak, finishedEpisodes, step, periods, podcasts, devices, hours } = statistics;
  const { heading, as } = STEPS[step];
  const caption = `Listening time by ${step}`;
  return markup`<dl class="figures">
${renderFigure('Listened', toDuration(listened))}${renderFigure('Per listening day', toDuration(Math.round(listened / Math.max(1, days))))}${renderFigure('Longest streak', `${longestStreak} ${longestStreak === 1 ? 'day' : 'days'}`)}${renderFigure('Episodes finished', finishedEpisodes.toLocaleString('en'))}</dl>
<section class="card"><h2>${caption}</h2>
${renderBars({ caption, heading, bars: periods.map((each) => ({ label: formatTime(each.start, as), listened: each.listened })) })}</section>
<section class="card"><h2>By hour of the week</h2>
${renderHeatMap('Listening time by hour of the week', hours)}</section>
<div class="columns">
${renderRanking(
  'Podcasts',
  'Podcast',
  podcasts.map((each) => ({ ...each, name: renderPodcastLink(base, each) })),
)}
${renderRanking(
  'Devices',
  'Device',
  devices.map(({ id, listened: time }) => ({
    listened: time,
    name:
      id === undefined
        ? markup`<span class="soft">Unknown device</span>`
        : markup`<bdi><a href="${historyPage(base, { device: id })}">${deviceNames.get(id) ?? id}</a></bdi>`,
  })),
)}
</div>`;
}

const renderFigure = (name: string, value: string): Markup => markup`<div><dt>${name}</dt><dd>${value}</dd></div>\n`;

function renderRanking(title: string, heading: string, items: readonly { name: Markup; listened: Seconds }[]): Markup {
  const most = items[0]?.listened ?? 0;
  const rows = items.map(
    ({ name, listened }) =>
      markup`<tr><th scope="row">${name}${renderShare(listened, most)}</th><td class="number">${toDuration(listened)}</td></tr>\n`,
  );
  return markup`<section><h2>${title}</h2>
<div class="table"><table><caption class="visually-hidden">Listening time by ${heading.toLowerCase()}</caption>
<thead><tr><th scope="col">${heading}</th><th scope="col" class="number">Time</th></tr></thead>
<tbody>${rows}</tbody></table></div></section>`;
}

const renderExplanation = ({
  base,
  name,
  statistics,
}: StatisticsPage): Markup => markup`<p class="soft">The listening time of a play is the position where it stopped minus the position where it started, if the app reported both;
otherwise it is zero. Nothing is guessed: parts played twice count twice, and skipped parts count, too.
A play counts at the time that the app gave for it, however late it was uploaded. An episode is finished when less than ${FINISHED_WITHIN} seconds of it were left.
Days and hours are in UTC. The same numbers are available as <a href="${base}/api/podsync/1/statistics/${encodeURIComponent(name)}.json?range=${statistics.range}">JSON</a>.</p>`;
