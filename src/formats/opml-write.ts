import type { PodcastEntry } from '../domain/types.ts';
import { escapeXml, XML_DECLARATION } from './xml.ts';

/**
 * OPML 2.0 with one outline for each podcast. Readers require `text`, and some `title`, so the URL replaces a missing
 * title.
 */
export const writeOpml = (title: string, podcasts: readonly PodcastEntry[]): string =>
  writeOpmlHead(title) + writeOutlines(podcasts) + OPML_END;

/** The part before the outlines. */
export function writeOpmlHead(title: string): string {
  const head = `  <head>\n    <title>${escapeXml(title)}</title>\n  </head>\n`;
  return `${XML_DECLARATION}<opml version="2.0">\n${head}  <body>\n`;
}

/** The outlines of some of the podcasts. */
export const writeOutlines = (podcasts: readonly PodcastEntry[]): string => podcasts.map(writeOutline).join('');

/** The part after the outlines. */
export const OPML_END = '  </body>\n</opml>\n';

function writeOutline({ url, title, website, description }: PodcastEntry): string {
  const attributes = {
    type: 'rss',
    text: title || url,
    title: title || url,
    xmlUrl: url,
    htmlUrl: website,
    description,
  };
  const written = Object.entries(attributes).map(([name, value]) => (value ? ` ${name}="${escapeXml(value)}"` : ''));
  return `    <outline${written.join('')}/>\n`;
}
