import { MAX_POSITION } from '../domain/position.ts';
import type { EpisodeInfo, Seconds, Url } from '../domain/types.ts';
import { parseDate } from './dates.ts';
import { type Fields, readTitle, findElements, readDescription, texts } from './fields.ts';
import { mediaUrl, pageUrl, resolveUrl } from './links.ts';
import { readWebsite } from './podcast.ts';
import type { XmlElement } from './xml.ts';

const DATES = ['pubdate', 'published', 'dc:date', 'date', 'issued', 'dcterms:created', 'updated', 'atom:updated'];
const DESCRIPTIONS = [
  'description',
  'itunes:summary',
  'summary',
  'content:encoded',
  'content',
  'dc:description',
  'itunes:subtitle',
  'media:description',
  'googleplay:description',
];
/** Longer GUIDs are ignored. */
export const MAX_EPISODE_GUID = 1000;

const MEDIA_TYPE = /^(?:audio|video)\//i;
const MEDIA_FILE = /\.(?:mp3|m4[abv]|mp4|aac|og[agv]|opus|flac|wav|webm|mov|mpe?g|wma|mka|mkv)(?:[?#]|$)/i;

/** What is needed to select episodes, before their texts are read. */
export interface EpisodeSource {
  url: Url;
  guid: string | undefined;
  releasedAt: Seconds | undefined;
  fields: Fields;
  base: string;
}

/** Undefined if an item has no usable enclosure. `feedBase` is the base of its links, unless it sets another one. */
export function findEpisode(item: XmlElement, feedBase: string): EpisodeSource | undefined {
  const fields = withGroups(item.children());
  const base = baseOf(item, feedBase);
  const url = findMedia(fields, base);
  if (url === undefined) return undefined;
  const [guid = ''] = texts(fields, 'guid', 'id', 'dc:identifier');
  const releasedAt = texts(fields, ...DATES)
    .map(parseDate)
    .find((date) => date !== undefined);
  return { url, guid: guid === '' || guid.length > MAX_EPISODE_GUID ? undefined : guid, releasedAt, fields, base };
}

/** In Media RSS, elements may be in a group. */
const withGroups = (fields: Fields): Fields => [
  ...fields,
  ...findElements(fields, 'media:group').flatMap((group) => group.children()),
];

/** The episode with its texts. */
export function readEpisode({ url, guid, releasedAt, fields, base }: EpisodeSource): EpisodeInfo {
  const ofFile = findElements(fields, 'media:content')
    .filter(({ attributes }) => mediaUrl(attributes['url'] ?? '', base) === url)
    .map(({ attributes }) => attributes['duration'] ?? '');
  const duration = [...texts(fields, 'itunes:duration'), ...ofFile].map(parseDuration).find(Boolean);
  return {
    ...(guid !== undefined && { guid }),
    url,
    title: readTitle(fields, 'title', 'itunes:title', 'media:title', 'dc:title'),
    description: readDescription(fields, ...DESCRIPTIONS),
    website: readWebsite(fields, base) || permalink(fields),
    ...(releasedAt !== undefined && { releasedAt }),
    ...(duration !== undefined && { duration }),
  };
}

const DURATION = /^(?:(?:(\d{1,10}):)?(\d{1,10}):)?(\d{1,10})(?:\.\d*)?$/;

/** Seconds, `MM:SS` or `HH:MM:SS`, each number with any number of digits. Undefined for anything else, and for 0. */
function parseDuration(text: string): Seconds | undefined {
  const [, hours = 0, minutes = 0, seconds] = DURATION.exec(text) ?? [];
  const duration = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return duration > 0 && duration <= MAX_POSITION ? duration : undefined;
}

/** The base URL of an element: `xml:base`, resolved against the base of the element around it. */
export const baseOf = ({ attributes }: XmlElement, outerBase: string): string =>
  resolveUrl(attributes['xml:base'] ?? '', outerBase);

const findMedia = (fields: Fields, base: string): Url | undefined =>
  chooseMedia(enclosuresOf(fields), base) ?? chooseMedia(mediaContentsOf(fields), base);

interface Enclosure {
  link: string | undefined;
  type: string | undefined;
}

/** The first audio or video enclosure, or else the first usable one. */
function chooseMedia(enclosures: readonly Enclosure[], base: string): Url | undefined {
  const usable = enclosures
    .map(({ link, type }) => ({ url: mediaUrl(link ?? '', base), type }))
    .filter(({ url }) => url !== '');
  const media = usable.find(({ url, type }) => MEDIA_TYPE.test(type ?? '') || MEDIA_FILE.test(url));
  return (media ?? usable[0])?.url;
}

/** Enclosures of RSS, RSS 1.0 and Atom. */
const enclosuresOf = (fields: Fields): Enclosure[] =>
  findElements(fields, 'enclosure', 'enc:enclosure', 'link', 'atom:link')
    .filter(({ name, attributes }) => !name.endsWith('link') || attributes['rel'] === 'enclosure')
    .map(({ attributes }) => ({
      link: attributes['url'] ?? attributes['href'] ?? attributes['rdf:resource'] ?? attributes['enc:url'],
      type: attributes['type'] ?? attributes['enc:type'],
    }));

/** The files of Media RSS, the default of a group first. */
const mediaContentsOf = (fields: Fields): Enclosure[] =>
  findElements(fields, 'media:content')
    .toSorted((a, b) => Number(isDefault(b)) - Number(isDefault(a)))
    .map(({ attributes: { url, type, medium } }) => ({
      link: url,
      type: type ?? (medium === undefined ? undefined : `${medium}/`),
    }));

const isDefault = ({ attributes }: XmlElement): boolean => attributes['isdefault'] === 'true';

/** The GUID if it is a link, else `''`. */
function permalink(fields: Fields): string {
  const guid = findElements(fields, 'guid').find(
    ({ attributes }) => attributes['ispermalink']?.toLowerCase() !== 'false',
  );
  const [text = ''] = guid ? texts([guid], 'guid') : [];
  return pageUrl(text, text);
}
