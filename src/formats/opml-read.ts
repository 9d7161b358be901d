import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { invalid, Refusal } from '../domain/errors.ts';
import { decodeSurrogates } from '../domain/surrogates.ts';
import type { PodcastEntry } from '../domain/types.ts';

/** Levels of folders. */
const MAX_DEPTH = 256;
/** Attributes of one element. The parser takes quadratic time: a second for a megabyte of them. */
const MAX_ATTRIBUTES = 1000;

/** A DOCTYPE with internal declarations. No list needs them, and XML attacks use them to declare entities. */
const INTERNAL_SUBSET = /<!DOCTYPE[^<]*\[/;

/** Attributes to read, in lower case, as writers differ in the case of `xmlUrl`. */
const NAMES = ['type', 'xmlurl', 'url', 'title', 'text', 'htmlurl', 'description'] as const;

type Attributes = Partial<Record<(typeof NAMES)[number], string>>;

/**
 * Podcasts of an OPML file in their order: every outline outside `head` with `xmlUrl`, or with `url` if its type is rss
 * or link, at any depth. URLs are not sanitized. Throws `invalid` if it is not well-formed OPML. Takes a second for a
 * few megabytes, so large files should be read in a worker thread.
 */
export function readOpml(text: string): PodcastEntry[] {
  const xml = decodeSurrogates(text.trim());
  if (INTERNAL_SUBSET.test(xml)) throw invalid('the DOCTYPE of the OPML has declarations; remove the DOCTYPE');
  if (xml.split('<').some(hasTooManyAttributes)) {
    throw invalid(`the OPML has an element with more than ${MAX_ATTRIBUTES} attributes`);
  }
  requireWellFormed(xml);
  return collect(xml);
}

/** Also counts values without quotes and names without values: they are slow before the parser refuses them. */
function hasTooManyAttributes(tag: string): boolean {
  if (tag.length <= MAX_ATTRIBUTES) return false;
  const [bare = ''] = tag.replace(/"[^"]*"|'[^']*'/g, ' ').split('>', 1);
  return (bare.match(/\s+|=/g)?.length ?? 0) > 2 * MAX_ATTRIBUTES + 1;
}

/** The parser itself accepts anything, even truncated XML. */
function requireWellFormed(xml: string): void {
  const result = XMLValidator.validate(xml);
  if (result !== true) {
    const { line, col } = result.err;
    const located = line > 1 || col > 1;
    throw unreadable(located ? `not well-formed at line ${line}, column ${col}` : 'empty, cut off or not XML');
  }
  // The validator accepts text after a root element without content.
  if (!xml.endsWith('>')) throw unreadable('followed by other text');
}

/** Collects podcasts while the parser runs, without a tree, so that memory depends only on the podcasts. */
function collect(xml: string): PodcastEntry[] {
  const podcasts: PodcastEntry[] = [];
  const roots: string[] = [];
  let section = '';
  const visit = (tag: string, depth: number, attributes: Attributes): void => {
    if (depth === 1) roots.push(tag);
    if (depth === 2) section = tag;
    if (depth > MAX_DEPTH) throw invalid(`the OPML has folders nested more than ${MAX_DEPTH} deep`);
    const podcast = tag === 'outline' && section !== 'head' ? toPodcast(attributes) : undefined;
    if (podcast) podcasts.push(podcast);
  };
  try {
    createParser(visit).parse(xml);
  } catch (error) {
    // The validator accepts open comments and names like __proto__; the parser throws.
    throw error instanceof Refusal ? error : unreadable('not well-formed');
  }
  if (roots.length !== 1 || roots[0] !== 'opml') throw unreadable('not a single opml element');
  return podcasts;
}

const unreadable = (why: string): Refusal => invalid(`the OPML cannot be read: it is ${why}`);

const createParser = (visit: (tag: string, depth: number, attributes: Attributes) => void): XMLParser =>
  new XMLParser({
    ignoreAttributes: (name) => !(NAMES as readonly string[]).includes(name.toLowerCase()),
    attributeNamePrefix: '',
    transformAttributeName: (name) => name.toLowerCase(),
    parseTagValue: false,
    trimValues: false,
    htmlEntities: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
    jPath: false,
    maxNestedTags: MAX_DEPTH,
    updateTag(tag, path, attributes: Attributes = {}) {
      if (typeof path !== 'string') visit(tag, path.getDepth(), attributes);
      return false;
    },
  });

function toPodcast({ type, xmlurl, url, title, text, htmlurl, description }: Attributes): PodcastEntry | undefined {
  const feed = xmlurl ?? (/^(?:rss|link)$/i.test(type ?? '') ? url : undefined);
  if (feed === undefined) return undefined;
  const name = title || text;
  return {
    url: feed,
    ...(name && name !== feed && { title: name }),
    ...(description && { description }),
    ...(htmlurl && { website: htmlurl }),
  };
}
