import type { H3Event } from 'h3';
import type { PodcastEntry } from '../domain/types.ts';
import { type ListFormat, MEDIA_TYPES } from '../formats/format.ts';
import { parseCallback, writeJsonp } from '../formats/jsonp.ts';
import { writeOpml } from '../formats/opml-write.ts';
import { writeTxt } from '../formats/txt.ts';
import { readParam, readQuery } from '../http/input.ts';
import type { Reply } from '../http/reply.ts';

/** A list of podcasts, and what it is as JSON. */
interface Listing {
  title: string;
  podcasts: readonly PodcastEntry[];
  json: unknown;
}

/** A list in the format that the path asks for. */
export function listReply(event: H3Event, listing: Listing): Reply {
  const format = readParam(event, 'format') as ListFormat;
  return { type: MEDIA_TYPES[format], body: write(event, format, listing) };
}

function write(event: H3Event, format: ListFormat, { title, podcasts, json }: Listing): string {
  switch (format) {
    case 'json':
      return JSON.stringify(json);
    case 'jsonp':
      return writeJsonp(parseCallback(readQuery(event, 'jsonp')), JSON.stringify(json));
    case 'txt':
      return writeTxt(podcasts.map(({ url }) => url));
    case 'opml':
      return writeOpml(title, podcasts);
  }
}
