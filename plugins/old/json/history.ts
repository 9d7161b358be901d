import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ActionQuery,
  type EpisodeAction,
  type Seconds,
  type Stamp,
  StorageError,
  type Url,
} from '../../../src/old-plugin.ts';
import { readActions, writeActions } from '../action-columns.ts';
import { fingerprint } from '../fingerprint.ts';
import { ActionBatch, type ActionText } from './action-batch.ts';
import { replaceFile, syncFolder, toReadError } from './folder.ts';
import { LineBuffer } from './line-buffer.ts';
import { inPages, latestOf } from './pages.ts';
import { readWritten, type WrittenActions } from './written-actions.ts';

/** An episode action with its stamp and the time of its upload. */
export interface StoredAction {
  stamp: Stamp;
  uploadedAt: Seconds;
  action: EpisodeAction;
}

/** What the account's own file tells of a segment. Only the newest segment is open for more. */
export interface SegmentSummary {
  /** How many actions it has. */
  count: number;
  uploads: number;
  last: Stamp;
  /** When its newest action happened, or one that was uploaded with it. */
  newest: Seconds;
}

/** Actions of one upload as they are in memory. */
interface UploadText extends ActionText {
  stamp: Stamp;
  at: Seconds;
}

/** The same as it is in a file, and as it is read from there. */
interface UploadLine<Actions = EpisodeAction[]> {
  stamp: Stamp;
  at: Seconds;
  actions: Actions;
}

interface Segment extends SegmentSummary {
  /** Undefined once full and saved: then the file has them. */
  texts: UploadText[] | undefined;
  /** Characters of those texts. */
  size: number;
  saved: boolean;
}

/** Early podsyncs did not write how new the actions are: they may be newer than any other. */
const EARLY = { newest: Number.MAX_SAFE_INTEGER };

/** A segment that has so many actions is full. Each takes a sync; but the open one is read with its account. */
const SEGMENT_LENGTH = 4000;
/** So is one whose texts have so many characters: a file is read into one string, which cannot be of any length. */
const SEGMENT_SIZE = 16 * 1024 * 1024;

const printOf = (action: EpisodeAction): string => fingerprint(action, 'base64');

const isFull = ({ count, size }: Segment): boolean => count >= SEGMENT_LENGTH || size >= SEGMENT_SIZE;

/**
 * All episode actions of one user, in upload order. Full segments lie in files that are never touched again; only the
 * open one, and those not yet saved, are in memory.
 */
export class History {
  readonly #folder: string;
  readonly #segments: Segment[];
  /** Fingerprints of the actions with a stamp below `#knownUpTo`. Filled when an upload comes that may repeat some. */
  readonly #known = new Set<string>();
  #knownUpTo: Stamp = 0;

  private constructor(folder: string, segments: Segment[]) {
    this.#folder = folder;
    this.#segments = segments;
  }

  static async open(folder: string, summaries: readonly SegmentSummary[]): Promise<History> {
    const segments = summaries.map((summary): Segment => ({
      ...EARLY,
      ...summary,
      texts: undefined,
      size: 0,
      saved: true,
    }));
    const history = new History(folder, segments);
    const open = segments.at(-1);
    // A crash may have saved the segment and not the summary: the journal has what is cut off here.
    if (open && !isFull(open)) {
      const lines = await history.#read(segments.length - 1, open.uploads);
      open.texts = lines.map(({ stamp, at, actions }) => ({
        stamp,
        at,
        count: actions.length,
        json: writeActions(actions),
      }));
      open.size = open.texts.reduce((size, { json }) => size + json.length, 0);
      if (isFull(open)) open.texts = undefined;
    }
    return history;
  }

  /** Those of the actions that are not stored yet, each once. */
  async unknown(actions: readonly EpisodeAction[]): Promise<ActionBatch> {
    if (this.#areNews(actions)) return ActionBatch.of(actions);
    await this.#learn();
    const unknown = new Map<string, EpisodeAction>();
    for (const action of actions) {
      const print = printOf(action);
      if (!this.#known.has(print) && !unknown.has(print)) unknown.set(print, action);
    }
    return ActionBatch.of([...unknown.values()]);
  }

  /** Whether the times alone show that none is stored, and none comes twice. For most uploads they do. */
  #areNews(actions: readonly EpisodeAction[]): boolean {
    const stored = this.#segments.reduce((latest, { newest }) => Math.max(latest, newest), 0);
    const times = actions.map(({ timestamp }) => timestamp);
    if (times.every((time, at) => time > (times[at - 1] ?? stored))) return true; // as most are sent
    return times.every((time) => time > stored) && new Set(times).size === times.length;
  }

  /** Reads what came since it was last called: the whole history, the first time. */
  async #learn(): Promise<void> {
    const last = this.#segments.at(-1)?.last ?? 0;
    for await (const page of this.#pages(this.#knownUpTo)) {
      for (const { action } of page) this.#known.add(printOf(action));
    }
    this.#knownUpTo = last + 1;
  }

  append(batch: ActionBatch, stamp: Stamp, at: Seconds): void {
    for (const text of batch.texts) {
      let open = this.#segments.at(-1);
      if (!open || isFull(open)) {
        open = { count: 0, uploads: 0, last: stamp, newest: 0, texts: [], size: 0, saved: false };
        this.#segments.push(open);
      }
      open.texts!.push({ stamp, at, ...text });
      open.count += text.count;
      open.size += text.json.length;
      open.uploads += 1;
      open.last = stamp;
      open.newest = Math.max(open.newest, batch.newest);
      open.saved = false;
    }
  }

  /** A snapshot of everything, read as it is consumed. */
  all(): AsyncIterable<StoredAction[]> {
    return this.#pages(0);
  }

  /** A snapshot of what the query asks for, read as it is consumed; of these podcasts alone, where any are given. */
  query(
    { since = 0, podcast, device, latest = false }: Omit<ActionQuery, 'subscribedOn'>,
    podcasts?: ReadonlySet<Url>,
  ): AsyncIterable<EpisodeAction[]> {
    const matches = ({ action }: StoredAction): boolean =>
      (podcast === undefined || action.podcast === podcast) &&
      (podcasts === undefined || podcasts.has(action.podcast)) &&
      (device === undefined || action.device === device);
    const found = matching(this.#pages(since), matches);
    return latest ? latestOf(found) : found;
  }

  /** What has this stamp or a later one, as it is now. */
  #pages(since: Stamp): AsyncIterable<StoredAction[]> {
    const first = this.#segments.findLastIndex(({ last }) => last < since) + 1;
    const snapshot = this.#segments.slice(first).map(({ uploads, texts }, place) => ({
      index: first + place,
      uploads,
      texts: texts?.slice(),
    }));
    const read = (index: number, uploads: number) => this.#read(index, uploads);
    return (async function* () {
      for (const { index, uploads, texts } of snapshot) {
        const found = (texts ?? (await read(index, uploads))).filter(({ stamp }) => stamp >= since);
        yield* inPages(storedIn(found));
      }
    })();
  }

  /** Writes the segments that have become full, and keeps them in memory no longer. */
  async saveFull(): Promise<void> {
    await this.#writeFull();
    await syncFolder(this.#folder);
  }

  /**
   * Writes what is new. `summarize` is called at the moment whose state is written, so that the account's own file may
   * be written from its answer afterwards.
   */
  async save<T>(summarize: (segments: SegmentSummary[]) => T): Promise<T> {
    await this.#writeFull();
    const summary = summarize(
      this.#segments.map(({ count, uploads, last, newest }) => ({ count, uploads, last, newest })),
    );
    if (this.#segments.at(-1)?.saved === false) await this.#write(this.#segments.length - 1);
    await syncFolder(this.#folder);
    return summary;
  }

  async #writeFull(): Promise<void> {
    const nextFull = (): number => this.#segments.findIndex((segment) => !segment.saved && isFull(segment));
    for (let full = nextFull(); full !== -1; full = nextFull()) {
      await this.#write(full);
      this.#segments[full]!.texts = undefined;
    }
  }

  async #write(index: number): Promise<void> {
    const segment = this.#segments[index]!;
    const lines = new LineBuffer();
    lines.append('{\n"uploads": [');
    for (const [place, { stamp, at, json }] of segment.texts!.entries()) {
      lines.append(`${place === 0 ? '' : ','}\n{"stamp":${stamp},"at":${at},"actions":`);
      lines.append(json);
      lines.append('}');
    }
    lines.append('\n]\n}\n');
    segment.saved = true;
    try {
      await replaceFile(this.#path(index), lines.bytes);
    } catch (error) {
      segment.saved = false;
      throw error;
    }
  }

  #path(index: number): string {
    return join(this.#folder, `actions-${String(index + 1).padStart(6, '0')}.json`);
  }

  async #read(index: number, count: number): Promise<UploadLine[]> {
    const path = this.#path(index);
    try {
      const { uploads } = JSON.parse(await readFile(path, 'utf8')) as { uploads: UploadLine<WrittenActions>[] };
      if (uploads.length >= count) {
        return uploads.slice(0, count).map(({ actions, ...upload }) => ({ ...upload, actions: readWritten(actions) }));
      }
    } catch (error) {
      throw toReadError(error, path, 'restore the data folder from a backup');
    }
    throw new StorageError('corrupt', `${path} lacks actions; restore the data folder from a backup`);
  }
}

const actionsOf = (upload: UploadText | UploadLine): EpisodeAction[] =>
  'actions' in upload ? upload.actions : readActions(upload.json);

function* storedIn(uploads: readonly (UploadText | UploadLine)[]): Iterable<StoredAction> {
  for (const upload of uploads) {
    const { stamp, at: uploadedAt } = upload;
    for (const action of actionsOf(upload)) yield { stamp, uploadedAt, action };
  }
}

async function* matching(
  pages: AsyncIterable<StoredAction[]>,
  matches: (stored: StoredAction) => boolean,
): AsyncIterable<EpisodeAction[]> {
  for await (const page of pages) {
    const found = page.filter(matches).map(({ action }) => action);
    if (found.length > 0) yield found;
  }
}
