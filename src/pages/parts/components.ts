import { isLanguageTag } from '../../domain/language.ts';
import type { Url } from '../../domain/types.ts';
import type { KnownPodcast } from '../../services/directory/directory.ts';
import type { EpisodeNames } from '../../services/directory/episode-names.ts';
import { episodePage, podcastPage, scaledLogo } from './links.ts';
import { attributes, type Markup, markup } from './markup.ts';

/** An external link, if it is a web address. */
export const renderLink = (url: string, text: string): Markup | undefined =>
  /^https?:\/\//i.test(url) ? markup`<a href="${url}" rel="nofollow noopener">${text}</a>` : undefined;

/** Displayed size of a logo in pixels, and the size of its file, for high-resolution screens. */
const LOGO = 128;
const LOGO_FILE = 2 * LOGO;

/** Loaded when it scrolls into view. */
export const renderLogo = (
  base: string,
  { logoUrl = null }: Pick<KnownPodcast, 'logoUrl'>,
  size: 'small' | 'large',
): Markup =>
  size === 'large'
    ? markup`<img class="logo" src="${scaledLogo(base, LOGO_FILE, logoUrl)}" alt="" width="${LOGO}" height="${LOGO}" loading="lazy">`
    : markup`<img class="logo small" src="${scaledLogo(base, LOGO, logoUrl)}" alt="" width="56" height="56" loading="lazy">`;

/**
 * The attribute for texts from a feed in this language, by which a screen reader chooses its voice. None for a text that is
 * no language tag, as a backup may contain.
 */
export const languageAttribute = (language = ''): Markup => attributes({ lang: isLanguageTag(language) && language });

/** A text from a feed among texts in English. */
export const renderFeedText = (text: string, language = ''): Markup | string =>
  text && isLanguageTag(language) ? markup`<span lang="${language}">${text}</span>` : text;

/** As much of a description as fits on two lines, without cutting a character in half. */
export const renderBrief = (description = '', language = ''): Markup | '' =>
  description &&
  markup`<p class="brief"${languageAttribute(language)}>${description.slice(0, 300).replace(/[\ud800-\udbff]$/, '')}</p>`;

/** Facts on one line. The direction of one, such as a name in Arabic, does not reorder the others. */
export const renderFacts = (facts: readonly (Markup | string | undefined)[]): Markup => {
  const known = facts.filter((fact) => fact !== undefined && fact !== '');
  return markup`${known.map((fact, at) => markup`${at === 0 ? '' : ' · '}<bdi>${fact}</bdi>`)}`;
};

type NamedPodcast = Pick<KnownPodcast, 'url' | 'title'> & { language?: string | undefined };

/** A link to the page of a podcast, in the language of its feed. */
export const renderPodcastLink = (base: string, { url, title, language }: NamedPodcast): Markup =>
  markup`<bdi><a href="${podcastPage(base, url)}"${languageAttribute(language)}>${title || url}</a></bdi>`;

/** The same, or a link to the feed itself if the user may not see that page. */
export const renderKnownPodcast = (base: string, podcast: KnownPodcast): Markup =>
  podcast.subscribers === undefined
    ? markup`<a href="${podcast.url}" rel="nofollow noopener">${podcast.url}</a>`
    : renderPodcastLink(base, podcast);

/** A link to the page of an episode, in the language of its feed. */
export const renderEpisodeLink = (
  base: string,
  { podcast, url, title, language }: Pick<EpisodeNames, 'title' | 'language'> & { podcast: Url; url: Url },
): Markup =>
  markup`<bdi><a href="${episodePage(base, podcast, url)}"${languageAttribute(language)}>${title || url}</a></bdi>`;

/** A link below it to the page of its podcast. */
export const renderPodcastOf = (
  base: string,
  { podcast, podcastTitle, language }: EpisodeNames & { podcast: Url },
): Markup =>
  markup`<bdi><a class="quiet" href="${podcastPage(base, podcast)}"${languageAttribute(language)}>${podcastTitle || podcast}</a></bdi>`;

/** Podcasts with the beginning of their descriptions. */
export function renderPodcasts(base: string, podcasts: readonly KnownPodcast[]): Markup {
  const items = podcasts.map(
    (podcast) => markup`<li>${renderLogo(base, podcast, 'small')}<div>${renderKnownPodcast(base, podcast)}
<div class="soft">${podcast.author}${renderBrief(podcast.description, podcast.language)}</div></div></li>
`,
  );
  return markup`<ul class="items">${items}</ul>`;
}

/** A page of a long list. */
export interface PageNumber {
  /** From 1. */
  page: number;
  /** Number of pages. */
  pages: number;
}

/** Links to the previous and next page, if they exist. `query`: other parameters of their addresses. */
export function renderPager(
  { page, pages }: PageNumber,
  query: Readonly<Record<string, string>> = {},
): Markup | undefined {
  if (pages === 1) return undefined;
  const to = (number: number): string => `?${new URLSearchParams({ ...query, page: String(number) }).toString()}`;
  const previous = page > 1 ? markup`<a href="${to(page - 1)}" rel="prev">Previous page</a>` : undefined;
  const next = page < pages ? markup`<a href="${to(page + 1)}" rel="next">Next page</a>` : undefined;
  return markup`<p class="soft">Page ${page} of ${pages}</p>\n<p class="pager">${previous}${next}</p>`;
}
