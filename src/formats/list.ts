import type { ListFormat } from './format.ts';
import { readJsonList } from './json.ts';
import { readOpml } from './opml-read.ts';
import { readTxt } from './txt.ts';

/** The formats of uploaded lists (spec 4.3). */
export type UploadFormat = Exclude<ListFormat, 'jsonp'>;

const READERS: Record<UploadFormat, (text: string) => string[]> = {
  json: readJsonList,
  txt: readTxt,
  opml: (text) => readOpml(text).map((podcast) => podcast.url),
};

/**
 * URLs of an uploaded list in their order, not yet sanitized. Skips a byte order mark. Throws `invalid` if the text is
 * not in this format (spec 4.3 rule 6).
 */
export const readList = (format: UploadFormat, text: string): string[] =>
  READERS[format](text.startsWith('\ufeff') ? text.slice(1) : text);
