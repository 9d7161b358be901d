import { countOf } from '../domain/count.ts';
import type { Device, Url } from '../domain/types.ts';
import type { FeedProblem } from '../services/feeds/feeds.ts';
import type { OwnEpisode } from '../services/listening/playback.ts';
import type { Episode, Podcast } from '../storage/stores.ts';
import {
  languageAttribute,
  type PageNumber,
  renderBrief,
  renderFacts,
  renderLink,
  renderLogo,
  renderPager,
} from './parts/components.ts';
import { renderDeviceChoice } from './parts/device.ts';
import { renderToken, toSentence } from './parts/form.ts';
import type { Page } from './parts/layout.ts';
import { episodePage, podcastPage, tagPage } from './parts/links.ts';
import { attributes, type Markup, markup } from './parts/markup.ts';
import { describePlayback, isPlayed, renderMark, renderPlayed } from './parts/playback.ts';
import { renderDate } from './parts/time.ts';

interface PodcastPage extends PageNumber {
  base: string;
  podcast: Podcast;
  /** The episodes of this page, newest first. */
  episodes: readonly Episode[];
  /** Number of episodes. */
  total: number;
  problem: FeedProblem | undefined;
  /** Whether the visitor may see the directory. */
  hasDirectory: boolean;
  /** Undefined for visitors who are not signed in. */
  owner?: PodcastOwner | undefined;
}

/** The signed-in user's data of a podcast. */
interface PodcastOwner {
  csrf: string;
  /** The URLs under which the user subscribes to it. */
  subscribed: readonly Url[];
  devices: readonly Device[];
  /** By the URL of the episode. */
  episodes: ReadonlyMap<Url, OwnEpisode>;
}

/** The page of a podcast. */
export function renderPodcast(page: PodcastPage): Page {
  const { base, podcast, total, problem, hasDirectory, owner } = page;
  const { url, title, author, description, website, tags } = podcast;
  const name = title || url;
  return {
    title: name,
    content: markup`<article>
<div class="head">${renderLogo(base, podcast, 'large')}<div>
<h1${languageAttribute(podcast.language)}>${name}</h1>
${author && markup`<p>${author}</p>`}
${renderCounts(page)}
${owner && renderSubscription(page, owner)}
</div></div>
${problem && renderFeedProblem(problem)}
${tags.length > 0 ? markup`<ul class="tags">${tags.map((tag) => (hasDirectory ? markup`<li><a href="${tagPage(base, tag)}">${tag}</a></li>` : markup`<li class="tag">${tag}</li>`))}</ul>` : ''}
${description && markup`<p class="text"${languageAttribute(podcast.language)}>${description}</p>`}
<p class="actions">${renderLink(website, 'Website')}${renderLink(url, 'Feed')}</p>
${owner ? '' : markup`<p class="soft">To subscribe, add this address in your podcast app: <code>${url}</code></p>`}
<h2 id="episodes">Episodes</h2>
${total === 0 ? markup`<p class="soft">No episodes are known yet.</p>` : renderEpisodes(page)}
${renderPager(page, { url })}
</article>`,
  };
}

/** Its subscribers, and a link to its episodes, which may be far below: a description can be long. */
function renderCounts({ podcast: { subscribers }, total }: PodcastPage): Markup | undefined {
  if (subscribers === 0 && total === 0) return undefined;
  const episodes = markup`<a href="#episodes">${countOf(total, 'episode')}</a>`;
  return markup`<p class="soft">${renderFacts([subscribers > 0 ? countOf(subscribers, 'subscriber') : '', total > 0 ? episodes : ''])}</p>`;
}

function renderFeedProblem({ error, fetchedAt }: FeedProblem): Markup {
  const since =
    fetchedAt === undefined
      ? markup`This feed has never been fetched.`
      : markup`This feed was last fetched on ${renderDate(fetchedAt)}. Fetching has failed since then.`;
  return markup`<p class="problem">${since} ${toSentence(error)}</p>`;
}

function renderSubscription({ base, podcast }: PodcastPage, { csrf, subscribed, devices }: PodcastOwner): Markup {
  if (subscribed.length > 0) {
    const fields = subscribed.map((url) => markup`<input type="hidden" name="podcast" value="${url}">`);
    return markup`<form method="post" action="${base}/subscriptions/remove" class="actions">${renderToken(csrf)}${fields}<span>Subscribed</span><button class="plain">Unsubscribe</button></form>`;
  }
  return markup`<form method="post" action="${base}/subscriptions" class="inline">${renderToken(csrf)}<input type="hidden" name="url" value="${podcast.url}"><input type="hidden" name="next" value="${podcastPage('', podcast.url)}">
${renderDeviceChoice({ devices })}<button>Subscribe</button></form>`;
}

function renderEpisodes({ base, podcast, episodes, owner, page }: PodcastPage): Markup {
  const items = episodes.map((episode, at) => {
    const { url, title, releasedAt, duration, description } = episode;
    const name = title || url;
    const anchor = `episode-${at + 1}`;
    const played = { own: owner?.episodes.get(url), duration };
    const facts = [describePlayback(played), played.own?.isFavorite && 'Favourite'].filter(Boolean).join(' · ');
    const date = renderDate(releasedAt);
    return markup`<li${attributes({ id: anchor })}><div><bdi><a href="${episodePage(base, podcast.url, url)}"${languageAttribute(podcast.language)}>${name}</a></bdi>
<div class="soft">${renderFacts([date, facts])}${renderPlayed(played)}${renderBrief(description, podcast.language)}</div></div>${owner && renderMark(isPlayed(played) ? 'new' : 'played', { base, url, name, anchor })}</li>
`;
  });
  const list = markup`<ul class="items">${items}</ul>`;
  if (!owner) return list;
  const next = `${podcastPage('', podcast.url)}${page > 1 ? `&page=${page}` : ''}`;
  return markup`<form method="post" action="${base}/episode/played">${renderToken(owner.csrf)}<input type="hidden" name="podcast" value="${podcast.url}"><input type="hidden" name="next" value="${next}">
${list}</form>`;
}
