import type { EpisodeInfo, PodcastInfo, Url } from '../domain/types.ts';
import { sanitizeFeedUrl } from '../domain/url.ts';
import { decodeXml } from './charset.ts';
import { baseOf, type EpisodeSource, findEpisode, readEpisode } from './episode.ts';
import { type Fields, findElements, texts } from './fields.ts';
import { readPrefixes } from './namespaces.ts';
import { readPodcast } from './podcast.ts';
import { decodeReferences } from './text.ts';
import { createXmlReader, ignoringErrors, type XmlElement, type XmlReader } from './xml.ts';

export interface ParsedFeed extends PodcastInfo {
  /** `podcast:guid`, which does not change when the feed moves; 1 to 255 characters. */
  guid: string | null;
  /** `itunes:new-feed-url`, sanitized: the new URL of the feed. */
  movedTo: Url | null;
  /** Newest first, then those without a date in the order of the feed; at most 5,000. */
  episodes: EpisodeInfo[];
  /** The feed ends before its root element is closed, so it may be incomplete. */
  isTruncated?: true;
}

/** Episodes beyond this are dropped. */
const MAX_EPISODES = 5000;
/** Characters before the root element: a declaration, a DOCTYPE, and the output of broken servers. */
const MAX_PROLOGUE = 100_000;

/** Longer GUIDs are ignored. */
export const MAX_PODCAST_GUID = 255;

const ROOT = /<((?:[\w.-]+:)?(?:rss|feed|rdf))(?:\s[^<>]*)?>/i;
const CHANNEL = /<(?:[\w.-]+:)?channel(?:\s[^<>]*)?>/i;
const EPISODE_END = /<\/(?:[\w.-]+:)?(?:item|entry)\s*>/gi;
const EPISODE_BEGIN = /(?=<(?:[\w.-]+:)?(?:item|entry)[\s>])/i;
const WEB_PAGE = /<(?:!doctype\s+)?html/i;
const ENTITY = /<!ENTITY\s+[\w.:-]+\s+(?:"([^"]*)"|'([^']*)')/g;
/** Characters of an entity that is declared in the feed. */
const MAX_ENTITY = 1000;
const UNESCAPED_LESS_THAN = /<(?![a-z_/!?])/gi;

/**
 * Parses RSS 0.9x, 1.0 and 2.0 and Atom, with the tags of iTunes, Podcasting 2.0 and Media RSS. `bytes` may be in any
 * character set, `contentType` is the header of the response, `url` is the base of relative links. A damaged episode is
 * skipped; a truncated feed keeps its complete episodes. Throws an Error that says why this is not a feed.
 */
export function parseFeed(bytes: Uint8Array, contentType: string | undefined, url: Url): ParsedFeed {
  const text = withoutComments(decodeXml(bytes, contentType));
  const root = ROOT.exec(text.slice(0, MAX_PROLOGUE));
  const prologue = text.slice(0, root?.index);
  if (!root || WEB_PAGE.test(prologue)) throw notAFeed(describeContent(text));
  if (isEntityBomb(prologue)) throw notAFeed('its DOCTYPE declares entities made of others, or very long ones');
  const [tag, name = ''] = root;
  const rest = text.slice(root.index + tag.length);
  const isTruncated = !rest.includes(`</${name}`);
  const content = contentOf(rest, name);
  const readXml = createXmlReader(readPrefixes(text.slice(root.index), name));
  const [element] = readElements(readXml, tag.replace(/\/?>$/, '/>'));
  // Relative links must not inherit a password.
  const feedUrl = sanitizeFeedUrl(url);
  const base = element ? baseOf(element, feedUrl) : feedUrl;
  const fields = readFields(readXml, content);
  if (fields.length === 0) throw notAFeed('it is empty');
  return {
    ...readPodcast(fields, base, element?.attributes['xml:lang']),
    ...readIdentity(fields),
    episodes: readEpisodes(fields, base),
    ...(isTruncated && { isTruncated }),
  };
}

function readIdentity(fields: Fields): Pick<ParsedFeed, 'guid' | 'movedTo'> {
  const [guid = ''] = texts(fields, 'podcast:guid');
  const [movedTo = ''] = texts(fields, 'itunes:new-feed-url');
  return {
    guid: guid !== '' && guid.length <= MAX_PODCAST_GUID ? guid : null,
    movedTo: sanitizeFeedUrl(movedTo) || null,
  };
}

const notAFeed = (why: string): Error => new Error(`this is not a feed: ${why}`);

function readElements(readXml: XmlReader, xml: string): XmlElement[] {
  try {
    return readXml(xml);
  } catch {
    throw notAFeed('its XML is damaged');
  }
}

/** The elements of the channel. If one episode is not closed, each episode is read on its own. */
function readFields(readXml: XmlReader, content: string): XmlElement[] {
  try {
    return readXml(content);
  } catch {
    const [head = '', ...episodes] = content.split(EPISODE_BEGIN);
    const fields = [...readElements(readXml, head), ...episodes.flatMap(ignoringErrors(readXml))];
    if (fields.length === 0) throw notAFeed('its XML is damaged');
    return fields;
  }
}

/**
 * Whether entities are declared that grow when they are expanded. podsync never expands them, but such a feed must not
 * replace the stored one. Short entities for characters and words, as in a few old feeds, are accepted.
 */
const isEntityBomb = (prologue: string): boolean =>
  [...prologue.matchAll(ENTITY)].some(([, double, single]) => {
    const value = double ?? single ?? '';
    return value.length > MAX_ENTITY || /&[\w.:-]+;/.test(decodeReferences(value));
  });

/** Replaces comments before the first episode with spaces, as they may contain tags. */
function withoutComments(text: string): string {
  const episodes = EPISODE_BEGIN.exec(text)?.index ?? text.length;
  let blanked = '';
  let at = 0;
  for (;;) {
    const begin = text.indexOf('<!--', at);
    const end = text.indexOf('-->', begin);
    if (begin === -1 || end === -1 || end > episodes) return blanked + text.slice(at);
    blanked += text.slice(at, begin) + ' '.repeat(end + 3 - begin);
    at = end + 3;
  }
}

function describeContent(text: string): string {
  const head = text.slice(0, MAX_PROLOGUE).trim();
  if (head === '') return 'it is empty';
  if (/^[{[]/.test(head)) return 'it is JSON';
  if (WEB_PAGE.test(head)) return 'it is a web page';
  if (/<opml/i.test(head)) return 'it is an OPML list';
  return 'it is neither RSS nor Atom';
}

/**
 * The content of the root element, without the start tag of the channel: in RSS 1.0 items follow the channel, and some
 * feeds do not close it. Drops everything after the root element, or after the last episode of a truncated feed.
 */
function contentOf(rest: string, root: string): string {
  const end = rest.lastIndexOf(`</${root}`);
  const whole = end === -1 ? rest.slice(0, endOfEpisodes(rest)) : rest.slice(0, end);
  const channel = /feed$/i.test(root) ? null : CHANNEL.exec(whole);
  return whole.slice(channel ? channel.index + channel[0].length : 0).replace(UNESCAPED_LESS_THAN, '&lt;');
}

function endOfEpisodes(text: string): number {
  let end = 0;
  for (const match of text.matchAll(EPISODE_END)) end = match.index + match[0].length;
  return end;
}

function readEpisodes(fields: Fields, base: string): EpisodeInfo[] {
  const sources = findElements(fields, 'item', 'entry').flatMap((item) => findEpisode(item, base) ?? []);
  const ambiguous = findAmbiguous(sources);
  const known = new Set<string>();
  return sources
    .map((source) => (ambiguous.has(source.guid) ? { ...source, guid: undefined } : source))
    .toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0))
    .filter(({ guid, url }) => {
      const key = guid ?? url;
      return !known.has(key) && known.add(key);
    })
    .slice(0, MAX_EPISODES)
    .map(readEpisode);
}

/** GUIDs with several media URLs, such as the URL of the website in every item: they do not identify episodes. */
function findAmbiguous(sources: readonly EpisodeSource[]): Set<string | undefined> {
  const urls = new Map<string | undefined, Url>();
  const ambiguous = new Set<string | undefined>();
  for (const { guid, url } of sources) {
    if (guid !== undefined && (urls.get(guid) ?? url) !== url) ambiguous.add(guid);
    urls.set(guid, url);
  }
  return ambiguous;
}
