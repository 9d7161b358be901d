/** podsync's own prefixes for the namespaces of feeds; `""` for names without a prefix. */
const PREFIXES: Record<string, string> = {
  'itunes.com/dtds/podcast-1.0.dtd': 'itunes',
  'podcastindex.org/namespace/1.0': 'podcast',
  'github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md': 'podcast',
  'google.com/schemas/play-podcasts/1.0': 'googleplay',
  'search.yahoo.com/mrss': 'media',
  'w3.org/2005/atom': 'atom',
  'purl.org/atom/ns': 'atom',
  'purl.org/dc/elements/1.1': 'dc',
  'purl.org/dc/terms': 'dcterms',
  'purl.org/rss/1.0/modules/content': 'content',
  'purl.oclc.org/net/rss_2.0/enc': 'enc',
  'purl.org/rss/1.0': '',
};

/** Number of characters at the start of a feed in which to search for namespaces. */
const HEAD = 20_000;

/**
 * Maps each prefix that a feed declares to podsync's own: a few feeds write `a10:link` for `atom:link`. The prefix of
 * the root element (`<atom:feed>`) is removed. Undeclared prefixes keep their usual meaning.
 */
export function readPrefixes(xml: string, root: string): Map<string, string> {
  const prefixes = new Map<string, string>();
  for (const [, prefix = '', uri = ''] of xml.slice(0, HEAD).matchAll(/\sxmlns:([\w.-]+)\s*=\s*["']([^"'<>]*)/gi)) {
    const known =
      PREFIXES[
        uri
          .trim()
          .toLowerCase()
          .replace(/^https?:\/\/(?:www\.)?|[/#]+$/g, '')
      ];
    if (known !== undefined) prefixes.set(prefix.toLowerCase(), known);
  }
  const colon = root.indexOf(':');
  if (colon !== -1) prefixes.set(root.slice(0, colon).toLowerCase(), '');
  return prefixes;
}
