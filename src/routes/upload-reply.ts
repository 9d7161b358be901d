import { inBatches } from '../batches.ts';
import type { Stamp } from '../domain/types.ts';
import type { UrlRewrites } from '../domain/url.ts';
import { writeEntries, writePages } from '../formats/pages.ts';
import { json, jsonStream, type Reply } from '../http/reply.ts';

/** Rewrites that are written in one chunk. */
const PAGE = 500;

/** The response to delta and episode uploads (spec 4.3 and 4.8). Many rewrites are generated while they are sent. */
export const uploadReply = ({ mark, rewrites }: { mark: Stamp; rewrites: UrlRewrites }): Reply =>
  rewrites.length <= PAGE ? json({ timestamp: mark, update_urls: rewrites }) : jsonStream(writeUpload(mark, rewrites));

const writeUpload = (mark: Stamp, rewrites: UrlRewrites): AsyncIterable<string> =>
  writePages(inBatches(rewrites, PAGE), {
    head: `{"timestamp":${mark},"update_urls":[`,
    write: writeEntries,
    separator: ',',
    end: ']}',
  });
