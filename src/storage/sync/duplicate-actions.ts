import { inBatches } from '../../batches.ts';
import type { EpisodeAction, Seconds } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { Account } from '../accounts/account.ts';
import type { KeyValueStore } from '../contract.ts';
import { readChunk } from './action-log.ts';
import { Fingerprints } from './fingerprints.ts';

/** Chunks per read. */
const CHECKED = 16;

/** Actions that are not stored yet, without duplicates. */
export async function newActions(
  store: KeyValueStore,
  account: Account,
  actions: readonly EpisodeAction[],
): Promise<readonly EpisodeAction[]> {
  const { id, head } = account;
  if (account.fingerprints.isDisposable) account.fingerprints = new Fingerprints(head.actionStamp);
  if (areLater(actions, head.latestActionAt)) return actions;
  const distinct = new Map<string, EpisodeAction>();
  let earliest = Infinity;
  await eachInSlices(actions, (action) => {
    const identity = identityOf(action);
    if (!distinct.has(identity)) distinct.set(identity, action); // the first GUID is kept
    earliest = Math.min(earliest, action.timestamp);
  });
  const { fingerprints } = account;
  await fingerprints.load(store, id, Math.max(1, earliest - head.actionLead), head.actionStamp);
  for (const keys of inBatches(await fingerprints.chunksWith([...distinct.values()]), CHECKED)) {
    await eachInSlices(await store.get(keys), (chunk) => {
      if (chunk) for (const action of readChunk(chunk).actions) distinct.delete(identityOf(action));
    });
  }
  return [...distinct.values()];
}

/** Whether the times alone prove that all actions are new and distinct: most uploads are sorted, and later than all before. */
const areLater = (actions: readonly EpisodeAction[], latest: Seconds): boolean =>
  actions.every(({ timestamp }, at) => timestamp > (actions[at - 1]?.timestamp ?? latest));

/** A text that is the same only for actions that differ in nothing but their GUIDs. */
function identityOf({ podcast, episode, device, action, timestamp, play }: EpisodeAction): string {
  const numbers = `${timestamp} ${play?.position} ${play?.started} ${play?.total}`;
  // The lengths separate the texts.
  const texts = `${podcast.length} ${episode.length} ${podcast}${episode}${device === undefined ? '' : `/${device}`}`;
  return `${action} ${numbers} ${texts}`;
}
