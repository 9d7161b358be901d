import type { Seconds, Url } from '../domain/types.ts';
import { Mutex } from '../mutex.ts';
import { createThread, serveThread } from '../thread.ts';
import { type ParsedFeed, parseFeed } from './parse.ts';

export interface FeedParser {
  /** Like `parseFeed`. Also rejects if parsing takes too long or too much memory. */
  parse(bytes: Uint8Array, contentType: string | undefined, url: Url): Promise<ParsedFeed>;
  close(): Promise<void>;
}

const ROLE = 'podsync-feed-parser';

/** Limits for parsing one feed. */
export interface ParserLimits {
  time: Seconds;
  megabytes: number;
}
/** Several times the needs of a feed of 20 MB. */
const LIMITS: ParserLimits = { time: 20, megabytes: 512 };

interface Job {
  bytes: Uint8Array;
  contentType: string | undefined;
  url: Url;
}
type Result = { feed: ParsedFeed } | { problem: string };

/** Parses one feed after another in a worker thread, so that a large feed does not delay requests. */
export function createFeedParser({ time, megabytes }: ParserLimits = LIMITS): FeedParser {
  const thread = createThread<Job, Result>(import.meta.url, ROLE, {
    maxOldGenerationSizeMb: megabytes,
    maxYoungGenerationSizeMb: 8, // V8 would let it grow to 48, and keep that, to parse hardly faster
  });
  const mutex = new Mutex();

  async function run(job: Job): Promise<ParsedFeed> {
    const result = await thread.run(job, time).catch((error: Error) => {
      throw new Error(`this feed cannot be read: ${error.message}`);
    });
    if ('problem' in result) throw new Error(result.problem);
    return result.feed;
  }
  return {
    parse: (bytes, contentType, url) => mutex.run(() => run({ bytes, contentType, url })),
    close: () => thread.close(),
  };
}

serveThread<Job, Result>(ROLE, ({ bytes, contentType, url }) => {
  try {
    return { feed: parseFeed(bytes, contentType, url) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
});
