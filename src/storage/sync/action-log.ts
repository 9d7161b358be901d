import { setImmediate } from 'node:timers/promises';
import { inBatches } from '../../batches.ts';
import type { EpisodeAction, Seconds, Stamp, UserId } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import { actionsKey } from '../accounts/account-keys.ts';
import type { Head } from '../accounts/head.ts';
import type { Entry, Key, KeyValueStore, Value } from '../contract.ts';
import { chunked, scan } from '../rows.ts';
import type { UserRecordOf } from '../stores.ts';
import { valueOf } from '../values.ts';
import { type ActionColumns, fromColumns, toColumns } from './action-columns.ts';

/** Actions per chunk. */
const CHUNK = 500;
/** Minimum actions per page. Building and writing a page blocks other requests. */
const PAGE = 1000;

/** The fields in the head of an account that describe its actions. */
type ActionHead = Pick<Head, 'actionStamp' | 'latestActionAt' | 'actionLead'>;

/** The entries for actions of one upload, and the change of the head; `chunk` is the number of the first chunk. */
export async function writeActions(
  user: UserId,
  before: ActionHead,
  actions: readonly EpisodeAction[],
  { stamp, at }: { stamp: Stamp; at: Seconds },
  chunk = 0,
): Promise<{ set: [Key, Value][]; head: Partial<ActionHead> }> {
  const set: [Key, Value][] = [];
  if (actions.length === 0) return { set, head: {} };
  let latest = before.latestActionAt;
  const write = (part: readonly EpisodeAction[]): string => JSON.stringify(toColumns(part, at));
  await eachInSlices(chunked(actions, CHUNK, write), ({ part, text }) => {
    set.push([actionsKey(user, stamp, chunk + set.length), text]);
    for (const { timestamp } of part) latest = Math.max(latest, timestamp);
  });
  const actionLead = Math.max(before.actionLead, latest - stamp);
  return { set, head: { actionStamp: stamp, latestActionAt: latest, actionLead } };
}

/** The actions of a stored chunk, and the time of their upload. */
export function readChunk(entry: Entry): { at: Seconds; actions: EpisodeAction[] } {
  const chunk = valueOf<ActionColumns>(entry);
  return { at: chunk.at, actions: fromColumns(chunk) };
}

/** The actions of a stored chunk, as in a backup. */
export function storedActions(chunk: Entry): UserRecordOf<'action'>[] {
  const stamp = Number(chunk.key.split('/')[2]);
  const { at, actions } = readChunk(chunk);
  return actions.map((action) => ({ kind: 'action', stamp, uploadedAt: at, action }));
}

/** The chunks with these stamps, both inclusive, in upload order. */
export const scanActions = (
  store: KeyValueStore,
  user: UserId,
  [first, last]: readonly [Stamp, Stamp],
): AsyncIterable<Entry[]> => scan(store, { from: actionsKey(user, first), until: actionsKey(user, last + 1) });

/** What `read` returns for each of these chunks, in non-empty pages. */
export async function* pagesOf<Item>(
  chunks: AsyncIterable<Entry[]>,
  read: (chunk: Entry) => Item[],
): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const entries of chunks) {
    for (const entry of entries) {
      page.push(...read(entry));
      if (page.length < PAGE) continue;
      yield page;
      page = [];
      await setImmediate();
    }
  }
  if (page.length > 0) yield page;
}

/** The latest action per podcast and episode, by its own time, then by upload order. */
export async function* latestActions(pages: AsyncIterable<EpisodeAction[]>): AsyncGenerator<EpisodeAction[]> {
  const latest = new Map<string, EpisodeAction>();
  for await (const page of pages) {
    for (const action of page) {
      const episode = `${action.podcast}\n${action.episode}`; // no podcast contains a line break
      const known = latest.get(episode);
      if (known && known.timestamp > action.timestamp) continue;
      latest.delete(episode); // keeps the map in upload order
      latest.set(episode, action);
    }
  }
  for (const page of inBatches([...latest.values()], PAGE)) {
    yield page;
    await setImmediate();
  }
}
