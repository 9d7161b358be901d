import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { invalid, Refusal } from '../domain/errors.ts';
import type { PodcastEntry } from '../domain/types.ts';

/** Levels of folders. */
const MAX_DEPTH = 256;
/** Of one element. The more there are, the longer the parser takes for each: a second for a megabyte of them. */
const MAX_ATTRIBUTES = 1000;

/** DOCTYPE with declarations of its own. No list needs it, and entities are what XML attacks are made of. */
const INTERNAL_SUBSET = /<!DOCTYPE[^<]*\[/;

/** Attributes that are read, in lower case: writers do not agree on `xmlUrl`. */
const NAMES = ['type', 'xmlurl', 'url', 'title', 'text', 'htmlurl', 'description'] as const;

type Attributes = Partial<Record<(typeof NAMES)[number], string>>;

/**
 * Podcasts of an OPML file in their order: every outline outside `head` with `xmlUrl`, or with `url` where its type is
 * rss or link, at any depth. URLs are as written, not sanitized. Throws `invalid` when it is no well-formed OPML.
 * Takes a second for some megabytes: those belong into a thread.
 */
export function readOpml(text: string): PodcastEntry[] {
  const xml = text.trim();
  if (INTERNAL_SUBSET.test(xml)) throw invalid('the OPML has declarations in its DOCTYPE: remove the DOCTYPE');
  if (xml.split('<').some(hasTooManyAttributes)) {
    throw invalid(`the OPML has an element with more than ${MAX_ATTRIBUTES} attributes`);
  }
  requireWellFormed(xml);
  return collect(xml);
}

/** Values without quotes, and names without values, count too: they are slow before they are refused. */
function hasTooManyAttributes(tag: string): boolean {
  if (tag.length <= MAX_ATTRIBUTES) return false;
  const [bare = ''] = tag.replace(/"[^"]*"|'[^']*'/g, ' ').split('>', 1);
  return (bare.match(/\s+|=/g)?.length ?? 0) > 2 * MAX_ATTRIBUTES + 1;
}

/** The parser itself takes anything, even what is cut off. */
function requireWellFormed(xml: string): void {
  const result = XMLValidator.validate(xml);
  if (result !== true) {
    const { line, col } = result.err;
    const located = line > 1 || col > 1;
    throw unreadable(located ? `not well-formed at line ${line}, column ${col}` : 'empty, cut off or no XML');
  }
  // Text after a root without content passes the validator.
  if (!xml.endsWith('>')) throw unreadable('followed by other text');
}

/** Collects while the parser runs, and keeps no tree: memory follows the podcasts alone. */
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
    // What the validator lets pass, the parser throws at: open comments, names like __proto__.
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
