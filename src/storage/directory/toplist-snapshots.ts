import type { Seconds } from '../../domain/types.ts';
import { updateValue } from '../values.ts';
import type { Directory } from './directory.ts';
import type { ToplistSnapshot } from './documents.ts';
import { TOPLISTS_KEY } from './keys.ts';
import { isWeekOld } from './toplist.ts';

/** Podcasts in a snapshot. */
export const SNAPSHOT_LENGTH = 100;
/** Characters of a URL in a snapshot, so that all snapshots fit into one value. */
const MAX_URL = 4000;
/** Minimum time between two snapshots: a bit less than a day, so that a daily rebuild always stores one. */
const INTERVAL: Seconds = 23 * 3600;

/** Adds a toplist to those stored, unless it is empty or there is one of about the same time. */
export async function addSnapshot(directory: Directory, { at, urls }: ToplistSnapshot): Promise<void> {
  const { store, memory } = directory;
  const snapshot = { at, urls: urls.slice(0, SNAPSHOT_LENGTH).filter(({ length }) => length <= MAX_URL) };
  memory.toplist.snapshots = await updateValue<ToplistSnapshot[], ToplistSnapshot[]>(
    store,
    TOPLISTS_KEY,
    (stored = []) => {
      const isKnown = stored.some((each) => Math.abs(each.at - at) < INTERVAL);
      if (isKnown || snapshot.urls.length === 0) return { result: stored };
      const all = [...stored, snapshot].toSorted((a, b) => b.at - a.at);
      // A later one was added by a clock that was wrong.
      const newest = all.find((each) => each.at <= directory.context.now()) ?? snapshot;
      const weekOld = all.findIndex((each) => isWeekOld(each, newest.at));
      const kept = weekOld === -1 ? all : all.slice(0, weekOld + 1);
      return { result: kept, value: kept, set: directory.notifications(['toplists']) };
    },
  );
}
