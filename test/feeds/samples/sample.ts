import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParsedFeed } from '../../../src/feeds/parse.ts';
import { parsedFeed } from '../../podcasts.ts';

/** A feed with one oddity, and the expected result. `ORIGIN` is replaced with the origin of the server. */
export interface Sample {
  oddity: string;
  contentType?: string;
  body: string | Buffer;
  expected: ParsedFeed;
}

/** An RSS 2.0 channel with the namespaces that podcasts use. */
export const rss = (channel: string, prologue = '<?xml version="1.0" encoding="UTF-8"?>\n'): string =>
  `${prologue}<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
  xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"
  xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:media="http://search.yahoo.com/mrss/">
<channel>${channel}</channel></rss>`;

/** An item with an enclosure and the given elements. */
export const item = (url: string, inner = ''): string =>
  `<item><enclosure url="${url}" length="1" type="audio/mpeg"/>${inner}</item>`;

/** A feed in the style of a podcast host; its episode is fictional. */
export const host = (name: string, expected: Partial<ParsedFeed>): Sample => ({
  oddity: `the style of ${name}`,
  contentType: 'application/rss+xml; charset=utf-8',
  body: readFileSync(join(import.meta.dirname, 'hosts', `${name}.xml`)),
  expected: parsedFeed(expected),
});
