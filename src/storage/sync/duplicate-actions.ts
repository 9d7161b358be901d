import type { EpisodeAction, Seconds, UserId } from '../../domain/types.ts';
import { eachInSlices, mapInSlices } from '../../slices.ts';
import type { Account } from '../accounts/account.ts';
import { actionsKey, actionTimesKey, actionTimesPrefix } from '../accounts/account-keys.ts';
import type { Key, KeyValueStore } from '../contract.ts';
import { under } from '../keys.ts';
import { inBatches } from '../../batches.ts';
import { scan } from '../rows.ts';
import { valueOf } from '../values.ts';
import { readChunk, type TimesEntry } from './action-log.ts';
import { fingerprint, identityOf, timeOf } from './fingerprints.ts';

/** Chunks per read when looking for duplicates. */
const CHECKED = 16;

/** Actions that are not stored yet, without duplicates. */
export async function newActions(
  store: KeyValueStore,
  account: Account,
  actions: readonly EpisodeAction[],
): Promise<readonly EpisodeAction[]> {
  if (areLater(actions, account.head.latestActionAt)) return actions;
  const { head, fingerprints } = account;
  const distinct = new Map<string, EpisodeAction>();
  const earlier: EpisodeAction[] = [];
  await eachInSlices(actions, (action) => {
    const identity = identityOf(action);
    if (distinct.has(identity)) return;
    distinct.set(identity, action);
    if (timeOf(action) <= head.latestActionAt) earlier.push(action);
  });
  await loadFingerprints(store, account, earliestOf(earlier));
  const suspects = await fingerprints.among(earlier);
  fingerprints.forgetBeyondBound(head.latestActionAt);
  if (suspects.length > 0) await removeStored(store, account.id, suspects, distinct);
  return [...distinct.values()];
}

/** Whether the times alone prove that all actions are new and distinct, as they do for most uploads. */
function areLater(actions: readonly EpisodeAction[], latest: Seconds): boolean {
  const times = actions.map(timeOf);
  if (times.every((time, at) => time > (times[at - 1] ?? latest))) return true; // most uploads are sorted
  return times.every((time) => time > latest) && new Set(times).size === times.length;
}

const earliestOf = (actions: readonly EpisodeAction[]): Seconds =>
  actions.reduce((earliest, action) => Math.min(earliest, timeOf(action)), Infinity);

/** Loads the fingerprints of all actions from this time on. */
async function loadFingerprints(store: KeyValueStore, account: Account, from: Seconds): Promise<void> {
  const { id, fingerprints } = account;
  if (from >= fingerprints.from) return;
  const range = { from: actionTimesKey(id, from), until: actionTimesKey(id, fingerprints.from) };
  for await (const page of scan(store, range)) {
    for (const entry of page) fingerprints.add(valueOf<TimesEntry>(entry).fingerprints);
  }
  fingerprints.from = from;
}

/** Removes the suspects that are stored already, ignoring GUIDs, from `distinct`. */
async function removeStored(
  store: KeyValueStore,
  user: UserId,
  suspects: readonly EpisodeAction[],
  distinct: Map<string, EpisodeAction>,
): Promise<void> {
  let wanted = await mapInSlices(suspects, (action) => ({
    identity: identityOf(action),
    time: timeOf(action),
    fingerprint: fingerprint(action),
  }));
  const range = { from: actionTimesKey(user, earliestOf(suspects)), until: under(actionTimesPrefix(user)).until };
  for await (const page of scan(store, range)) {
    const keys: Key[] = [];
    await eachInSlices(page, (entry) => {
      const [, , latest, stamp, number] = entry.key.split('/');
      const { from, fingerprints } = valueOf<TimesEntry>(entry);
      const known = new Set(fingerprints);
      const mayHold = wanted.some(
        ({ time, fingerprint: print }) => time >= from && time <= Number(latest) && known.has(print),
      );
      if (mayHold) keys.push(actionsKey(user, Number(stamp), Number(number)));
    });
    for (const some of inBatches(keys, CHECKED)) {
      await eachInSlices(await store.get(some), (chunk) => {
        if (chunk) for (const action of readChunk(chunk).actions) distinct.delete(identityOf(action));
      });
    }
    wanted = wanted.filter(({ identity }) => distinct.has(identity));
    if (wanted.length === 0) return;
  }
}
