import type { EpisodeInfo, PodcastInfo, Url } from '../domain/types.ts';
import { sanitizeFeedUrl } from '../domain/url.ts';
import { decodeXml } from './charset.ts';
import { baseOf, type EpisodeSource, findEpisode, readEpisode } from './episode.ts';
import { type Fields, named, texts } from './fields.ts';
import { readPrefixes } from './namespaces.ts';
import { readPodcast } from './podcast.ts';
import { decodeReferences } from './text.ts';
import { createXmlReader, quietly, type XmlElement, type XmlReader } from './xml.ts';

export interface ParsedFeed extends PodcastInfo {
  /** `itunes:block`: its publisher wants it in no directory. */
  blocked: boolean;
  /** `podcast:guid`, which stays the same at whatever address the feed is; 1 to 255 characters. */
  guid: string | null;
  /** `itunes:new-feed-url`, sanitized: where the publisher wants the feed to be read from now on. */
  movedTo: Url | null;
  /** Newest first, then those without a date in the order of the feed; at most 5,000. */
  episodes: EpisodeInfo[];
  /** It ends before its root element does: there may be more of it. */
  isCut?: true;
}

/** As many as are kept. */
const MAX_EPISODES = 5000;
/** Characters before the root element: a declaration, a DOCTYPE, and what broken servers print in front of it. */
const MAX_PROLOGUE = 100_000;

/** A longer one is ignored. */
export const MAX_PODCAST_GUID = 255;

const ROOT = /<((?:[\w.-]+:)?(?:rss|feed|rdf))(?:\s[^<>]*)?>/i;
const CHANNEL = /<(?:[\w.-]+:)?channel(?:\s[^<>]*)?>/i;
const EPISODE_END = /<\/(?:[\w.-]+:)?(?:item|entry)\s*>/gi;
const EPISODE_BEGIN = /(?=<(?:[\w.-]+:)?(?:item|entry)[\s>])/i;
const WEB_PAGE = /<(?:!doctype\s+)?html/i;
const ENTITY = /<!ENTITY\s+[\w.:-]+\s+(?:"([^"]*)"|'([^']*)')/g;
/** Characters of an entity that a feed declares itself. */
const MAX_ENTITY = 1000;
const BARE_LESS_THAN = /<(?![a-z_/!?])/gi;

/**
 * Reads RSS 0.9x, 1.0 and 2.0 and Atom, with the tags of iTunes, Podcasting 2.0 and Media RSS. `bytes` in any character
 * set, `contentType` as the server said, `url` for relative links. What is broken in one episode costs that episode
 * alone; a feed that was cut off keeps the episodes before. Throws an Error that says what it is instead of a feed.
 */
export function parseFeed(bytes: Uint8Array, contentType: string | undefined, url: Url): ParsedFeed {
  const text = withoutComments(decodeXml(bytes, contentType));
  const root = ROOT.exec(text.slice(0, MAX_PROLOGUE));
  const prologue = text.slice(0, root?.index);
  if (!root || WEB_PAGE.test(prologue)) throw notFeed(describe(text));
  if (isBomb(prologue)) throw notFeed('its DOCTYPE declares entities made of others, or very long ones');
  const [tag, name = ''] = root;
  const rest = text.slice(root.index + tag.length);
  const isCut = !rest.includes(`</${name}`);
  const content = contentOf(rest, name);
  const readXml = createXmlReader(readPrefixes(text.slice(root.index), name));
  const [element] = readLevel(readXml, tag.replace(/\/?>$/, '/>'));
  // Relative links must not take a password along.
  const feedUrl = sanitizeFeedUrl(url);
  const base = element ? baseOf(element, feedUrl) : feedUrl;
  const fields = readFields(readXml, content);
  if (fields.length === 0) throw notFeed('it is empty');
  return {
    ...readPodcast(fields, base, element?.attributes['xml:lang']),
    ...readIdentity(fields),
    episodes: readEpisodes(fields, base),
    ...(isCut && { isCut }),
  };
}

function readIdentity(fields: Fields): Pick<ParsedFeed, 'blocked' | 'guid' | 'movedTo'> {
  const [guid = ''] = texts(fields, 'podcast:guid');
  const [movedTo = ''] = texts(fields, 'itunes:new-feed-url');
  return {
    blocked: texts(fields, 'itunes:block').some((text) => text.toLowerCase() === 'yes'),
    guid: guid !== '' && guid.length <= MAX_PODCAST_GUID ? guid : null,
    movedTo: sanitizeFeedUrl(movedTo) || null,
  };
}

const notFeed = (why: string): Error => new Error(`this is not a feed: ${why}`);

function readLevel(readXml: XmlReader, xml: string): XmlElement[] {
  try {
    return readXml(xml);
  } catch {
    throw notFeed('its XML is damaged');
  }
}

/** What the channel has. Where one episode is not closed, the others are read each by itself. */
function readFields(readXml: XmlReader, content: string): XmlElement[] {
  try {
    return readXml(content);
  } catch {
    const [head = '', ...episodes] = content.split(EPISODE_BEGIN);
    const own = head.trim() === '' ? [] : readLevel(readXml, head);
    const fields = [...own, ...episodes.flatMap(quietly(readXml))];
    if (fields.length === 0) throw notFeed('its XML is damaged');
    return fields;
  }
}

/**
 * Whether it declares what is made to grow when it is expanded. Nothing is ever expanded here, but a feed that holds a
 * bomb must not replace what was read before. Entities for characters and words, as a few old feeds have them, pass.
 */
const isBomb = (prologue: string): boolean =>
  [...prologue.matchAll(ENTITY)].some(([, double, single]) => {
    const value = double ?? single ?? '';
    return value.length > MAX_ENTITY || /&[\w.:-]+;/.test(decodeReferences(value));
  });

/** Blanks the comments before the first episode: they may have tags in them. */
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

function describe(text: string): string {
  const head = text.slice(0, MAX_PROLOGUE).trim();
  if (head === '') return 'it is empty';
  if (/^[{[]/.test(head)) return 'it is JSON';
  if (WEB_PAGE.test(head)) return 'it is a web page';
  if (/<opml/i.test(head)) return 'it is an OPML list';
  return 'it is neither RSS nor Atom';
}

/**
 * What is in the root element, without the tag of the channel: RSS 1.0 has its items beside that, and some feeds forget
 * to close it. What comes after the root element, or after the last episode of a feed that was cut off, is left out.
 */
function contentOf(rest: string, root: string): string {
  const end = rest.lastIndexOf(`</${root}`);
  const whole = end === -1 ? rest.slice(0, endOfEpisodes(rest)) : rest.slice(0, end);
  const channel = /feed$/i.test(root) ? null : CHANNEL.exec(whole);
  return whole.slice(channel ? channel.index + channel[0].length : 0).replace(BARE_LESS_THAN, '&lt;');
}

function endOfEpisodes(text: string): number {
  let end = 0;
  for (const match of text.matchAll(EPISODE_END)) end = match.index + match[0].length;
  return end;
}

function readEpisodes(fields: Fields, base: string): EpisodeInfo[] {
  const sources = named(fields, 'item', 'entry').flatMap((item) => findEpisode(item, base) ?? []);
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

/** GUIDs that several media share, such as the address of the website in every item: they identify nothing. */
function findAmbiguous(sources: readonly EpisodeSource[]): Set<string | undefined> {
  const urls = new Map<string | undefined, Url>();
  const ambiguous = new Set<string | undefined>();
  for (const { guid, url } of sources) {
    if (guid !== undefined && (urls.get(guid) ?? url) !== url) ambiguous.add(guid);
    urls.set(guid, url);
  }
  return ambiguous;
}
