import type { ImportChunk } from '../domain/import-chunk.ts';
import { createApiClient, type PullEvents } from './api-client.ts';
import { toObject, toObjects, toUrls } from './lenient-json.ts';
import type { Remote } from './remote.ts';

/** Actions in one chunk. */
const BATCH_SIZE = 1000;
const APP = ['index.php', 'apps', 'gpoddersync'];
/** The device that gets the subscriptions, as a Nextcloud has no devices. */
const DEVICE = 'nextcloud';

/**
 * Reads an account of the Nextcloud app `gpoddersync`, or of a server with its interface: the subscriptions, and the
 * last action of each episode, as it stores nothing else. Rejects with a RemoteError if either is unavailable.
 */
export async function* readNextcloudAccount(remote: Remote, events: PullEvents): AsyncIterable<ImportChunk> {
  const { get, onGap, expectRequests } = createApiClient(remote, events);
  expectRequests(2);
  const changes = toObject(await get([...APP, 'subscriptions'], { since: '0' }), 'subscriptions');
  yield { kind: 'subscriptions', device: DEVICE, urls: toUrls(changes.add, 'subscriptions') };

  const history = toObject(await get([...APP, 'episode_action'], { since: '0' }), 'episode actions');
  const actions = toObjects(history.actions, 'episode actions');
  for (let start = 0; start < actions.length; start += BATCH_SIZE) {
    yield { kind: 'actions', actions: actions.slice(start, start + BATCH_SIZE) };
  }
  onGap('devices, settings and podcast lists: a Nextcloud has none');
  onGap('earlier actions of an episode: a Nextcloud keeps only the last one');
}
