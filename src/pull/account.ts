import type { Piece } from '../domain/piece.ts';
import { type Asker, createAsker, type Listener } from './asker.ts';
import { type Found, readDevices, readGroups } from './devices.ts';
import { readLists, readSettings } from './extras.ts';
import { isRefusal, RemoteError } from './failure.ts';
import { type HistoryPage, readHistory } from './history.ts';
import type { Remote } from './remote.ts';
import { toArray, toObject } from './shapes.ts';

/** Actions in one piece. */
const LOT = 1000;
/** Devices, subscriptions, actions, favorites, settings, groups, lists: one question each, and more as they are met. */
const QUESTIONS = 7;

/**
 * An account on another server, piece by piece: devices with their subscriptions, episode actions, settings, groups,
 * lists. The setting `sync_devices` forms and dissolves groups: those that are there come after it. What the server
 * refuses becomes a gap. Rejects with a RemoteError where it refuses to tell of devices, and where devices, subscriptions
 * or episode actions cannot be had just now; then all of it may be read once more.
 */
export async function* readAccount(remote: Remote, listener: Listener): AsyncIterable<Piece> {
  const asker = createAsker(remote, listener);
  const found: Found = { devices: [], feeds: new Set() };
  asker.expect(QUESTIONS);
  yield* readDevices(asker, found);
  yield* readActions(asker, found.feeds);
  yield* readSettings(asker, found);
  yield* readGroups(asker);
  yield* readLists(asker);
}

async function* readActions({ user, ask, gap, expect }: Asker, podcasts: Iterable<string>): AsyncIterable<Piece> {
  const askHistory = async ({ since, podcast }: { since: number; podcast?: string }): Promise<HistoryPage> => {
    const query = { since: String(since), ...(podcast !== undefined && { podcast }) };
    const answer = await ask(['api', '2', 'episodes', `${user}.json`], query).catch((error: unknown) => {
      // Of a podcast that it does not know the reference answers 404.
      if (podcast !== undefined && error instanceof RemoteError && error.status === 404) return { actions: [] };
      throw error;
    });
    const { actions, timestamp } = toObject(answer, 'episode actions');
    const isNumber = typeof timestamp === 'number' && Number.isFinite(timestamp);
    return {
      actions: toArray(actions, 'episode actions'),
      timestamp: isNumber ? Math.floor(timestamp) : undefined,
    };
  };
  try {
    for await (const actions of readHistory({ ask: askHistory, podcasts, tell: gap })) {
      expect(1);
      for (let at = 0; at < actions.length; at += LOT) yield { kind: 'actions', actions: actions.slice(at, at + LOT) };
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    gap(`episode actions: ${error.message}`);
  }
}
