import type { EpisodeAction } from '../domain/types.ts';
import type { KnownEpisode, KnownPodcast } from '../services/directory/directory.ts';
import type { OwnEpisode } from '../services/listening/playback.ts';
import { describeAction } from './history.ts';
import { languageAttribute, renderFacts, renderKnownPodcast, renderLink, renderLogo } from './parts/components.ts';
import { renderToken } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { historyPage, scaledLogo } from './parts/links.ts';
import { type Markup, markup } from './parts/markup.ts';
import { describePlayback, isPlayed, lengthOf, renderMark, renderPlayed, resumeAt } from './parts/playback.ts';
import { renderPlayer } from './parts/player.ts';
import { renderDate, renderTime } from './parts/time.ts';

interface EpisodePage {
  base: string;
  podcast: KnownPodcast;
  episode: KnownEpisode;
  /** Undefined for visitors who are not signed in. */
  owner?: EpisodeOwner | undefined;
}

/** The signed-in user's data of an episode. */
interface EpisodeOwner {
  name: string;
  csrf: string;
  own: OwnEpisode;
  /** The newest first. */
  history: readonly EpisodeAction[];
  /** Names of devices by id. */
  deviceNames: ReadonlyMap<string, string>;
}

/** Size of the artwork that the operating system shows in its media controls. Pixels. */
const ARTWORK = 256;

/** The page of an episode, with its player. */
export function renderEpisode(page: EpisodePage): Page {
  const { base, podcast, episode, owner } = page;
  const { title, url, description, website = '', releasedAt, duration } = episode;
  const name = title || url;
  const played = { own: owner?.own, duration };
  const favorite = owner?.own.isFavorite ? markup`<a href="${base}/favorites">Favourite</a>` : undefined;
  return {
    title: name,
    content: markup`<article>
<div class="head">${renderLogo(base, podcast, 'large')}<div>
<p class="soft">${renderKnownPodcast(base, podcast)}</p>
<h1${languageAttribute(podcast.language)}>${name}</h1>
<p class="soft">${renderFacts([renderDate(releasedAt), describePlayback(played), favorite])}</p>
${renderPlayed(played)}
</div></div>
${
  isWebAddress(url)
    ? renderPlayer({
        base,
        src: url,
        startAt: resumeAt(played),
        title: name,
        podcastTitle: podcast.title || podcast.url,
        artwork: scaledLogo(base, ARTWORK, podcast.logoUrl ?? null),
        ...(owner && { owner: { name: owner.name, csrf: owner.csrf, podcast: podcast.url, total: lengthOf(played) } }),
      })
    : ''
}
${owner && renderActions(page, owner)}
<p class="actions">${renderLink(url, 'Media file')}${renderLink(website, 'Website')}</p>
${description && markup`<p class="text"${languageAttribute(podcast.language)}>${description}</p>`}
${owner && owner.history.length > 0 ? renderHistory(base, podcast, owner) : ''}
</article>`,
  };
}

/** Version 1 of the interface may identify an episode by its GUID: then there is nothing to play or to mark. */
const isWebAddress = (url: string): boolean => /^https?:/i.test(url);

function renderActions({ base, podcast, episode }: EpisodePage, { csrf, own }: EpisodeOwner): Markup {
  const { url, duration } = episode;
  const played = { own, duration };
  const marks = [
    isPlayed(played) ? undefined : renderMark('played', { base, url }),
    own.state && own.state.action !== 'new' ? renderMark('new', { base, url }) : undefined,
    isWebAddress(url) ? renderMark(own.isFavorite ? 'favorite/remove' : 'favorite', { base, url }) : undefined,
  ];
  return markup`<form method="post" action="${base}/episode/played" class="actions">${renderToken(csrf)}<input type="hidden" name="podcast" value="${podcast.url}">
${marks.filter((mark) => mark !== undefined)}
</form>`;
}

function renderHistory(base: string, podcast: KnownPodcast, { history, deviceNames }: EpisodeOwner): Markup {
  const items = history.map(
    (action) => markup`<li><div>${describeAction(action)}
<div class="soft">${renderFacts([renderTime(action.timestamp), action.device && (deviceNames.get(action.device) ?? action.device)])}</div></div></li>
`,
  );
  return markup`<h2>History</h2>
<ul class="items">${items}</ul>
<p class="soft"><a href="${historyPage(base, { podcast: podcast.url })}">History of this podcast</a></p>`;
}
