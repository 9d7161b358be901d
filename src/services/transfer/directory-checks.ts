import { invalid } from '../../domain/errors.ts';
import { MAX_POSITION } from '../../domain/position.ts';
import { isSlug } from '../../domain/slug.ts';
import { parseTimestamp } from '../../domain/timestamp.ts';
import { isValidator } from '../../domain/validator.ts';
import { MAX_EPISODE_GUID } from '../../feeds/episode.ts';
import { MAX_DESCRIPTION, MAX_TITLE } from '../../feeds/fields.ts';
import { pageUrl } from '../../feeds/links.ts';
import { MAX_PODCAST_GUID } from '../../feeds/parse.ts';
import { MAX_TAG, MAX_TAGS } from '../../feeds/podcast.ts';
import type { BackupRecord } from '../../formats/backup/record.ts';
import { requireFeedUrl, requireMediaUrl } from './url-checks.ts';

type RecordOf<Kind extends BackupRecord['kind']> = Extract<BackupRecord, { kind: Kind }>;

/*
 * Checks of the directory records in a backup: each throws `invalid` for what a feed could not have contained.
 */

/** Characters. Normalization may replace one by up to 18, as in Arabic, and `™` becomes `tm`. */
const MAX_SLUG = 18 * MAX_TAG;

export function checkTag({ tag, title }: RecordOf<'tag'>): void {
  if (!isSlug(tag)) throw invalid('"tag" must be lower-case letters and digits, joined by hyphens');
  checkText('tag', tag, MAX_SLUG);
  checkText('title', title, MAX_TAG);
}

export function checkPodcast({ url, info, feed, formerUrls }: RecordOf<'podcast'>): void {
  [url, feed.apart ?? url, ...formerUrls].forEach(requireFeedUrl);
  // With any other text, every fetch of the feed would fail.
  if (![feed.etag ?? '-', feed.lastModified ?? '-'].every(isValidator)) {
    throw invalid('"etag" and "lastModified" must be 1 to 1000 ASCII characters');
  }
  checkText('guid', feed.guid ?? '', MAX_PODCAST_GUID);
  checkText('title', info.title, MAX_TITLE);
  checkText('author', info.author, MAX_TITLE);
  checkText('description', info.description, MAX_DESCRIPTION);
  checkText('language', info.language, MAX_TAG);
  if (info.tags.length > MAX_TAGS) throw invalid(`a podcast has up to ${MAX_TAGS} tags`);
  for (const tag of info.tags) checkText('tags', tag, MAX_TAG);
  requirePage('website', info.website);
  requirePage('logoUrl', info.logoUrl ?? '');
}

export function checkEpisode(episode: RecordOf<'episode'>['episode']): void {
  [episode.url, ...episode.formerUrls].forEach(requireMediaUrl);
  checkText('guid', episode.guid ?? '', MAX_EPISODE_GUID);
  checkText('title', episode.title, MAX_TITLE);
  checkText('description', episode.description, MAX_DESCRIPTION);
  requirePage('website', episode.website);
  if (episode.releasedAt !== undefined) parseTimestamp(episode.releasedAt);
  const { duration = 1 } = episode;
  if (duration < 1 || duration > MAX_POSITION) throw invalid(`"duration" must be from 1 to ${MAX_POSITION}`);
}

function checkText(name: string, text: string, most: number): void {
  if (text.length > most) throw invalid(`"${name}" may have up to ${most} characters`);
  // Strict JSON parsers refuse a whole response that contains one.
  if (!text.isWellFormed()) throw invalid(`"${name}" contains half a surrogate pair`);
}

/** Other schemes could be dangerous links on a page of this server. */
function requirePage(name: string, address: string): void {
  const isPage = address === '' || pageUrl(address, address) !== '';
  if (!isPage) throw invalid(`"${name}" must begin with http:// or https://`);
}
