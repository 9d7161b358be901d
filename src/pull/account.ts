import type { ImportChunk } from '../domain/import-chunk.ts';
import { type ApiClient, createApiClient, type PullEvents } from './api-client.ts';
import { type Discovered, readDevices, readGroups } from './devices.ts';
import { type ActionPage, readHistory, toChunks } from './history.ts';
import { toArray, toObject } from './lenient-json.ts';
import { readLists } from './lists.ts';
import { isPermanentFailure, RemoteError } from './remote-error.ts';
import type { Remote } from './remote.ts';
import { readSettings } from './settings.ts';

/** Devices, subscriptions, actions, favorites, settings, groups and lists take at least one request each. */
const MIN_REQUESTS = 7;

/**
 * Reads an account on another server in chunks: devices with their subscriptions, episode actions, settings, device
 * groups, lists. Groups come after settings, as the setting `sync_devices` forms and dissolves groups. Data that the
 * server refuses to return is reported as a gap. Rejects with a RemoteError if the server refuses to list the devices,
 * or if devices, subscriptions or episode actions are temporarily unavailable; the whole account can then be read
 * again.
 */
export async function* readAccount(remote: Remote, events: PullEvents): AsyncIterable<ImportChunk> {
  const client = createApiClient(remote, events);
  const discovered: Discovered = { devices: [], feeds: new Set() };
  client.expectRequests(MIN_REQUESTS);
  yield* readDevices(client, discovered);
  yield* readActions(client, discovered.feeds);
  yield* readSettings(client, discovered);
  yield* readGroups(client);
  yield* readLists(client);
}

async function* readActions(
  { user, get, onGap, expectRequests }: ApiClient,
  podcasts: Iterable<string>,
): AsyncIterable<ImportChunk> {
  const getPage = async ({ since, podcast }: { since: number; podcast?: string }): Promise<ActionPage> => {
    const query = { since: String(since), ...(podcast !== undefined && { podcast }) };
    const answer = await get(['api', '2', 'episodes', `${user}.json`], query).catch((error: unknown) => {
      // gpodder.net responds with 404 for a podcast that it does not know.
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
    for await (const actions of readHistory({ getPage, podcasts, onGap })) {
      expectRequests(1);
      yield* toChunks(actions);
    }
  } catch (error) {
    if (!isPermanentFailure(error)) throw error;
    onGap(`episode actions: ${error.message}`);
  }
}
