import { isLanguageTag } from '../domain/language.ts';
import { createSlug } from '../domain/slug.ts';
import type { PodcastInfo } from '../domain/types.ts';
import {
  type Fields,
  firstNonEmpty,
  readTitle,
  MAX_TITLE,
  pageLinks,
  findElements,
  readDescription,
  texts,
} from './fields.ts';
import { pageUrl } from './links.ts';
import { plainLine, textOf } from './text.ts';
import type { XmlElement } from './xml.ts';

const DESCRIPTIONS = [
  'description',
  'itunes:summary',
  'subtitle',
  'tagline',
  'dc:description',
  'itunes:subtitle',
  'googleplay:description',
];
export const MAX_TAGS = 20;
export const MAX_TAG = 100;
const MAX_KEYWORDS = 10_000;

/** `fields` of a channel or an Atom feed; `base` is the base of relative links, `language` that of the document. */
export function readPodcast(fields: Fields, base: string, language: string | undefined): PodcastInfo {
  return {
    title: readTitle(fields, 'title', 'itunes:title', 'dc:title'),
    author: readAuthor(fields),
    description: readDescription(fields, ...DESCRIPTIONS),
    website: readWebsite(fields, base),
    logoUrl: readLogo(fields, base),
    language: readLanguage(fields, language),
    tags: readTags(fields),
    blocked: texts(fields, 'itunes:block').some((text) => text.toLowerCase() === 'yes'),
  };
}

/**
 * Web page of a podcast or an episode: the text of the RSS element, or an Atom link, which some RSS feeds have, too.
 */
export const readWebsite = (fields: Fields, base: string): string =>
  firstNonEmpty([...texts(fields, 'link'), ...pageLinks(fields).map(({ attributes }) => attributes['href'])], (link) =>
    pageUrl(link ?? '', base),
  ) ?? '';

function readAuthor(fields: Fields): string {
  const candidates = [
    ...findElements(fields, 'itunes:author', 'googleplay:author'),
    ...findElements(fields, 'author', 'atom:author').flatMap(namesOf),
    ...findElements(fields, 'dc:creator', 'managingeditor'),
    ...findElements(fields, 'itunes:owner').flatMap(namesOf),
  ];
  return firstNonEmpty(candidates, ({ content }) => personName(plainLine(content, MAX_TITLE))) ?? '';
}

/** Atom has the name in an inner element, RSS in the element itself. */
function namesOf(person: XmlElement): XmlElement[] {
  const parts = person.children();
  return parts.length === 0 ? [person] : findElements(parts, 'name', 'atom:name', 'itunes:name');
}

/**
 * The name in `mail@example.org (Name)`, as in RSS, or `Name <mail@example.org>`. E-mail addresses are not published.
 */
const personName = (text: string): string =>
  (/^\S+@\S+\s*\((.*)\)$/.exec(text)?.[1] ?? text.replace(/\s*[(<]\S+@\S+[)>]$/, '')).replace(/^\S+@\S+$/, '');

function readLogo(fields: Fields, base: string): string | null {
  const images = findElements(fields, 'image', 'googleplay:image');
  const candidates = [
    ...findElements(fields, 'itunes:image').flatMap(imageLinks),
    ...images.flatMap((image) => [...texts(image.children(), 'url'), ...imageLinks(image)]),
    ...texts(fields, 'logo', 'icon', 'atom:logo', 'atom:icon'),
    ...findElements(fields, 'podcast:image').flatMap(imageLinks),
    ...findElements(fields, 'podcast:images').map(({ attributes }) => attributes['srcset']?.trim().split(/[\s,]/)[0]),
  ];
  return firstNonEmpty(candidates, (link) => pageUrl(link ?? '', base)) ?? null;
}

function imageLinks({ attributes, content }: XmlElement): (string | undefined)[] {
  const text = textOf(content);
  return [attributes['href'], attributes['url'], attributes['rdf:resource'], text.includes('<') ? undefined : text];
}

function readLanguage(fields: Fields, inherited: string | undefined): string {
  const [language = inherited ?? ''] = texts(fields, 'language', 'dc:language');
  const tag = language.toLowerCase().replaceAll('_', '-');
  return isLanguageTag(tag) ? tag : '';
}

/** Categories, with the subcategories of iTunes; if there are none, keywords. */
function readTags(fields: Fields): string[] {
  const categories = findElements(fields, 'itunes:category', 'category', 'googleplay:category', 'media:category');
  const written = categories.flatMap((category) => [category, ...findElements(category.children(), 'itunes:category')]);
  const labels = written.map(labelOf).filter((label) => label !== '');
  const keywords = (): string[] =>
    texts(fields, 'itunes:keywords', 'media:keywords').flatMap((text) => text.slice(0, MAX_KEYWORDS).split(','));
  const tags = new Map<string, string>();
  for (const label of labels.length > 0 ? labels : keywords()) {
    const tag = plainLine(label, MAX_TAG);
    const slug = createSlug(tag);
    if (slug !== '' && !tags.has(slug)) tags.set(slug, tag);
  }
  return [...tags.values()].slice(0, MAX_TAGS);
}

/** The label is in `text` for iTunes, in `label` or `term` for Atom, and the content for RSS. */
function labelOf({ attributes, content }: XmlElement): string {
  const { text, label, term } = attributes;
  return text || label || term || (content.includes('<itunes:category') ? '' : content);
}
