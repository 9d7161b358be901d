import type { H3Event } from 'h3';
import type { PodcastEntry } from '../domain/types.ts';
import { type ListFormat, MEDIA_TYPES } from '../formats/format.ts';
import { escapeScript, parseCallback } from '../formats/jsonp.ts';
import { OPML_END, writeOpmlHead, writeOutlines } from '../formats/opml-write.ts';
import { type PageWriter, writeEntries, writePages } from '../formats/pages.ts';
import { writeTxt } from '../formats/txt.ts';
import { readParam, readQuery } from '../http/input.ts';
import type { Reply } from '../http/reply.ts';

/** The title of a list of podcasts, and how each entry is written as JSON. */
interface Listing<Entry extends PodcastEntry> {
  title: string;
  toJson(podcast: Entry): unknown;
}

/** A list of podcasts in the format of the path. */
export function listReply<Entry extends PodcastEntry>(
  event: H3Event,
  podcasts: readonly Entry[],
  listing: Listing<Entry>,
): Reply {
  const { head, write, end } = writerFor(event, listing);
  return { type: typeOf(event), body: head + write(podcasts) + end };
}

/** The same for a list that may be long, generated while it is sent. */
export function listStream<Entry extends PodcastEntry>(
  event: H3Event,
  pages: AsyncIterable<readonly Entry[]>,
  listing: Listing<Entry>,
): Reply {
  return { type: typeOf(event), body: writePages(pages, writerFor(event, listing)) };
}

const formatOf = (event: H3Event): ListFormat => readParam(event, 'format') as ListFormat;
const typeOf = (event: H3Event): string => MEDIA_TYPES[formatOf(event)];

function writerFor<Entry extends PodcastEntry>(event: H3Event, { title, toJson }: Listing<Entry>): PageWriter<Entry> {
  const writeJson = (podcasts: readonly Entry[]): string => writeEntries(podcasts.map(toJson));
  switch (formatOf(event)) {
    case 'json':
      return { head: '[', write: writeJson, separator: ',', end: ']' };
    case 'jsonp': {
      const callback = parseCallback(readQuery(event, 'jsonp'));
      return {
        head: `${callback}([`,
        write: (podcasts) => escapeScript(writeJson(podcasts)),
        separator: ',',
        end: ']);',
      };
    }
    case 'txt':
      return { head: '', write: (podcasts) => writeTxt(podcasts.map(({ url }) => url)), separator: '', end: '' };
    case 'opml':
      return { head: writeOpmlHead(title), write: writeOutlines, separator: '', end: OPML_END };
  }
}
