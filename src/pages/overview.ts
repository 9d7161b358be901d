import { countOf } from '../domain/count.ts';
import { deviceNames } from '../domain/device.ts';
import type { Overview } from '../services/listening/home.ts';
import type { DeviceSummary } from '../storage/stores.ts';
import { renderBars } from './parts/chart.ts';
import { renderEpisodeLink, renderFacts, renderLogo, renderPodcastOf } from './parts/components.ts';
import { DEVICE_TYPE_NAMES, renderDeviceItem } from './parts/device.ts';
import type { Page } from './parts/layout.ts';
import { type Markup, markup } from './parts/markup.ts';
import { renderProgress } from './parts/playback.ts';
import { formatTime, renderDate, toClock, toDuration } from './parts/time.ts';

interface OverviewPage {
  base: string;
  overview: Overview;
}

/** Home page of a user who has synced. */
export function renderOverview({ base, overview }: OverviewPage): Page {
  const { inProgress, newEpisodes, devices } = overview;
  const names = deviceNames(devices);
  return {
    title: 'Home',
    content: markup`<h1>Home</h1>
<div class="columns">
<section><h2>Continue listening</h2>
${inProgress.length === 0 ? renderNothing('No episode is in progress.') : markup`<ul class="items">${inProgress.map((episode) => renderInProgress(base, episode, names))}</ul>`}
</section>
<section><h2>New episodes</h2>
${newEpisodes.length === 0 ? renderNothing('Your subscriptions have no new episodes.') : markup`<ul class="items">${newEpisodes.map((episode) => renderNew(base, episode))}</ul>`}
</section>
</div>
${renderDays(base, overview.days)}
<section><h2>Devices</h2>
${devices.length === 0 ? renderNothing('You have no devices.') : renderDevices(base, devices)}
<p><a href="${base}/connect">Connect an app</a></p>
</section>`,
  };
}

const renderNothing = (text: string): Markup => markup`<p class="card soft">${text}</p>`;

function renderInProgress(
  base: string,
  episode: Overview['inProgress'][number],
  names: ReadonlyMap<string, string>,
): Markup {
  const { position, total, device, at } = episode;
  const progress = total !== undefined && renderProgress(position, total);
  const left = total === undefined ? `Stopped at ${toClock(position)}` : `${toDuration(total - position)} left`;
  return markup`<li>${renderLogo(base, episode, 'small')}<div>${renderEpisodeLink(base, episode)}
<div class="soft">${renderPodcastOf(base, episode)}</div>
${progress || undefined}<div class="soft">${renderFacts([left, device && (names.get(device) ?? device), renderDate(at)])}</div></div></li>
`;
}

const renderNew = (base: string, episode: Overview['newEpisodes'][number]): Markup =>
  markup`<li>${renderLogo(base, episode, 'small')}<div>${renderEpisodeLink(base, episode)}
<div class="soft">${renderFacts([renderPodcastOf(base, episode), renderDate(episode.releasedAt)])}</div></div></li>
`;

function renderDays(base: string, days: Overview['days']): Markup {
  const listened = days.reduce((sum, day) => sum + day.listened, 0);
  const bars = days.map((day) => ({ label: formatTime(day.start, 'day'), listened: day.listened }));
  return markup`<section class="card"><div class="page-head"><h2>Last 30 days</h2><span>${toDuration(listened)} listened · <a href="${base}/statistics">Statistics</a></span></div>
${renderBars({ caption: 'Listening time by day (UTC)', heading: 'Day', bars })}</section>`;
}

function renderDevices(base: string, devices: readonly DeviceSummary[]): Markup {
  const items = devices.map((device) => {
    const facts = [DEVICE_TYPE_NAMES[device.type], countOf(device.subscriptions, 'subscription')];
    return renderDeviceItem(base, device, facts);
  });
  return markup`<ul class="items">${items}</ul>`;
}
