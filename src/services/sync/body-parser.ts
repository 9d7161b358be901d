import { deserialize, serialize } from 'node:v8';
import { MAX_ENTRIES, MAX_VALUES, PARSER_LIMITS, SMALL_BODY } from '../../body-limits.ts';
import { invalid, Refusal, type RefusalCode } from '../../domain/errors.ts';
import type { PodcastEntry, Seconds } from '../../domain/types.ts';
import { checkFeedCount } from '../../domain/url.ts';
import { decodeBody, parseJson } from '../../formats/body.ts';
import { readList, type UploadFormat } from '../../formats/list.ts';
import { readOpml } from '../../formats/opml-read.ts';
import { Mutex } from '../../mutex.ts';
import { mapInSlices } from '../../slices.ts';
import { createThread, serveThread, ThreadTimeoutError } from '../../thread.ts';

/**
 * Parses uploads. Large bodies are parsed one at a time in a separate thread, so that none blocks other requests. Their
 * bytes are transferred to the thread: the caller must not read them again. All methods throw `invalid` for what cannot
 * be parsed, `too-large` for more entries than one upload may have and for what takes too much time or memory, and `busy`
 * if the thread ends for another reason.
 */
export interface BodyParser {
  /** Undefined if the body is empty. */
  json(body: Uint8Array): Promise<unknown>;
  /** URLs of a list as written, without duplicates. */
  list(format: UploadFormat, body: Uint8Array | string): Promise<string[]>;
  /** Podcasts of an OPML file, each URL once; also those whose URL is empty, so that they can be reported. */
  podcasts(opml: string): Promise<PodcastEntry[]>;
  close(): Promise<void>;
}

const ROLE = 'podsync-body-parser';
/** For a parser that is closed or crashed. */
const RETRY_AFTER: Seconds = 10;
/** Values and keys that are transferred from the thread in one chunk. */
const VALUES_PER_CHUNK = 5_000;

type Job =
  | { kind: 'json'; body: Uint8Array }
  | { kind: 'list'; format: UploadFormat; body: Uint8Array | string }
  | { kind: 'podcasts'; body: string };
/** Arrays arrive in chunks, because deserializing one takes time, too. */
type Result = { chunks: Uint8Array[] } | { value: unknown } | { code: RefusalCode; message: string };

export function createBodyParser({ time, megabytes } = PARSER_LIMITS): BodyParser {
  const thread = createThread<Job, Result>(import.meta.url, ROLE, {
    maxOldGenerationSizeMb: megabytes,
    maxYoungGenerationSizeMb: 8,
  });
  const mutex = new Mutex();

  async function run(job: Job): Promise<unknown> {
    const result = await thread.run(job, time, transferable(job.body)).catch((error: Error & { code?: string }) => {
      if (error instanceof ThreadTimeoutError || error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        throw new Refusal(
          'too-large',
          'the request body takes too long, or too much memory, to parse; send less at once',
        );
      }
      throw new Refusal('busy', 'the request body could not be parsed right now; try again later', RETRY_AFTER);
    });
    if ('code' in result) throw new Refusal(result.code, result.message);
    if ('value' in result) return result.value;
    return (await mapInSlices(result.chunks, (chunk) => deserialize(chunk) as unknown[])).flat();
  }

  const parse = async (job: Job): Promise<unknown> => {
    if (job.body.length > SMALL_BODY) return mutex.run(() => run(job));
    const parsed = parseJob(job);
    // Parts of a text would keep all of it in memory, as long as an account with one of these feeds is cached.
    return job.kind === 'json' ? parsed : deserialize(serialize(parsed));
  };
  return {
    json: (body) => parse({ kind: 'json', body }),
    list: async (format, body) => (await parse({ kind: 'list', format, body })) as string[],
    podcasts: async (body) => (await parse({ kind: 'podcasts', body })) as PodcastEntry[],
    close: () => thread.close(),
  };
}

/** Memory that can be transferred to the thread without a copy: it contains nothing else. */
const transferable = (body: Uint8Array | string): ArrayBuffer[] =>
  typeof body !== 'string' && body.length === body.buffer.byteLength ? [body.buffer as ArrayBuffer] : [];

function parseJob(job: Job): unknown {
  switch (job.kind) {
    case 'json':
      return parseJson(job.body);
    case 'list': {
      const text = typeof job.body === 'string' ? job.body : decodeBody(job.body);
      const urls = [...new Set(readList(job.format, text))];
      checkFeedCount(urls);
      return urls;
    }
    case 'podcasts': {
      const known = new Set<string>();
      const podcasts = readOpml(job.body).filter(({ url }) => {
        const isNew = url === '' || !known.has(url);
        known.add(url);
        return isNew;
      });
      checkFeedCount(podcasts.map(({ url }) => url));
      return podcasts;
    }
  }
}

/** The result that the thread returns. Throws `too-large`. */
function toResult(parsed: unknown): Result {
  if (Array.isArray(parsed)) return { chunks: splitArray(parsed).map((chunk) => serialize(chunk)) };
  if (countValues(parsed, MAX_VALUES) > MAX_VALUES) {
    throw new Refusal(
      'too-large',
      `the request body may have up to ${MAX_VALUES} values; send the rest in another one`,
    );
  }
  return { value: parsed };
}

function splitArray(array: readonly unknown[]): unknown[][] {
  if (array.length > MAX_ENTRIES) {
    throw new Refusal('too-large', `the array may have up to ${MAX_ENTRIES} entries; send the rest in another request`);
  }
  const chunks: unknown[][] = [];
  let room = 0;
  for (const [index, entry] of array.entries()) {
    const values = countValues(entry, MAX_VALUES);
    if (values > MAX_VALUES) throw invalid(`entry [${index}] of the array has more than ${MAX_VALUES} values`);
    if (values > room) {
      chunks.push([]);
      room = VALUES_PER_CHUNK;
    }
    chunks.at(-1)!.push(entry);
    room -= values;
  }
  return chunks;
}

/** The number of values in a parsed JSON value, including itself; stops counting beyond `max`. */
function countValues(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(each, max - count);
    if (count > max) break;
  }
  return count;
}

serveThread<Job, Result>(ROLE, (job) => {
  try {
    return toResult(parseJob(job));
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, message: error.message };
    throw error;
  }
});
