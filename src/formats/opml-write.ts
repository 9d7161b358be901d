import type { PodcastEntry } from '../domain/types.ts';
import { escapeXml, XML_DECLARATION } from './xml-text.ts';

/**
 * OPML 2.0 with one outline a podcast. Readers insist on `text`, and some on `title`, so the URL stands in where no
 * title is known.
 */
export const writeOpml = (title: string, podcasts: readonly PodcastEntry[]): string =>
  writeOpmlHead(title) + writeOutlines(podcasts) + OPML_END;

/** What comes before the outlines. */
export function writeOpmlHead(title: string): string {
  const head = `  <head>\n    <title>${escapeXml(title)}</title>\n  </head>\n`;
  return `${XML_DECLARATION}<opml version="2.0">\n${head}  <body>\n`;
}

/** The outlines of some of the podcasts. */
export const writeOutlines = (podcasts: readonly PodcastEntry[]): string => podcasts.map(writeOutline).join('');

/** What comes after the outlines. */
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
