import { deserialize, serialize } from 'node:v8';
import { invalid, Refusal, type RefusalCode } from '../../domain/errors.ts';
import type { PodcastEntry, Seconds } from '../../domain/types.ts';
import { requireFewFeeds } from '../../domain/url.ts';
import { decodeBody, parseJson } from '../../formats/body.ts';
import { readList, type UploadFormat } from '../../formats/list.ts';
import { readOpml } from '../../formats/opml-read.ts';
import { mapInSlices } from '../../slices.ts';
import { createThread, serveThread } from '../../thread.ts';
import { Turns } from '../../turns.ts';

/**
 * Parses what is uploaded: large bodies in a thread of their own, one after another, so that none holds up a request.
 * Bytes are handed over to the thread: the caller must not read them again. All throw `invalid` for what cannot be read,
 * and `too-large` for more entries than one upload may bring and for what takes too long.
 */
export interface BodyParser {
  /** Undefined when the body is empty. */
  json(body: Uint8Array): Promise<unknown>;
  /** URLs of a list as they are written, each once. */
  list(format: UploadFormat, body: Uint8Array | string): Promise<string[]>;
  /** Podcasts of an OPML, each URL once. */
  podcasts(opml: string): Promise<PodcastEntry[]>;
  close(): Promise<void>;
}

const ROLE = 'podsync-body-parser';
/** Up to this, parsing takes a few milliseconds, whatever is in it. Bytes, or characters. */
const INLINE_UP_TO = 65_536;
/** For one body: several times what a good one of 16 MiB needs. */
const LIMITS: ParserLimits = { time: 20, memory: 256 };
/** Entries of a JSON array: more than the actions that fit into 16 MiB. */
const MAX_ENTRIES = 100_000;
/** Values and keys that are taken over from the thread at once. */
const MAX_VALUES = 50_000;
const VALUES_OF_PIECE = 5_000;

/** What parsing one body may take. */
interface ParserLimits {
  time: Seconds;
  /** MB. */
  memory: number;
}

type Job =
  | { kind: 'json'; body: Uint8Array }
  | { kind: 'list'; format: UploadFormat; body: Uint8Array | string }
  | { kind: 'podcasts'; body: string };
/** Arrays come in pieces, as to take one over is work, too. */
type Result = { pieces: Uint8Array[] } | { value: unknown } | { code: RefusalCode; message: string };

export function createBodyParser({ time, memory }: ParserLimits = LIMITS): BodyParser {
  const thread = createThread<Job, Result>(import.meta.url, ROLE, {
    maxOldGenerationSizeMb: memory,
    maxYoungGenerationSizeMb: 8,
  });
  const turns = new Turns<typeof ROLE>();

  async function run(job: Job): Promise<unknown> {
    const result = await thread.run(job, time, transferable(job.body)).catch(() => {
      throw new Refusal(
        'too-large',
        'the request body takes too long, or too much memory, to be read; send less at once',
      );
    });
    if ('code' in result) throw new Refusal(result.code, result.message);
    if ('value' in result) return result.value;
    return (await mapInSlices(result.pieces, (piece) => deserialize(piece) as unknown[])).flat();
  }

  const parse = async (job: Job): Promise<unknown> =>
    job.body.length <= INLINE_UP_TO ? parseJob(job) : turns.take(ROLE, () => run(job));
  return {
    json: (body) => parse({ kind: 'json', body }),
    list: async (format, body) => (await parse({ kind: 'list', format, body })) as string[],
    podcasts: async (body) => (await parse({ kind: 'podcasts', body })) as PodcastEntry[],
    close: () => thread.close(),
  };
}

/** What need not be copied to get into the thread: memory in which there is nothing else. */
const transferable = (body: Uint8Array | string): ArrayBuffer[] =>
  typeof body !== 'string' && body.length === body.buffer.byteLength ? [body.buffer as ArrayBuffer] : [];

function parseJob(job: Job): unknown {
  switch (job.kind) {
    case 'json':
      return parseJson(job.body);
    case 'list': {
      const text = typeof job.body === 'string' ? job.body : decodeBody(job.body);
      const urls = [...new Set(readList(job.format, text))];
      requireFewFeeds(urls);
      return urls;
    }
    case 'podcasts': {
      const podcasts = new Map<string, PodcastEntry>();
      for (const podcast of readOpml(job.body)) if (!podcasts.has(podcast.url)) podcasts.set(podcast.url, podcast);
      requireFewFeeds([...podcasts.keys()]);
      return [...podcasts.values()];
    }
  }
}

/** What the thread answers with. Throws `too-large`. */
function pack(parsed: unknown): Result {
  if (Array.isArray(parsed)) return { pieces: splitArray(parsed).map((piece) => serialize(piece)) };
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
  const pieces: unknown[][] = [];
  let room = 0;
  for (const [index, entry] of array.entries()) {
    const values = countValues(entry, MAX_VALUES);
    if (values > MAX_VALUES) throw invalid(`entry [${index}] of the array has more than ${MAX_VALUES} values`);
    if (values > room) {
      pieces.push([]);
      room = VALUES_OF_PIECE;
    }
    pieces.at(-1)!.push(entry);
    room -= values;
  }
  return pieces;
}

/** How many values there are in a value that was JSON, itself included; stops counting beyond `most`. */
function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(each, most - count);
    if (count > most) break;
  }
  return count;
}

serveThread<Job, Result>(ROLE, (job) => {
  try {
    return pack(parseJob(job));
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, message: error.message };
    throw error;
  }
});
