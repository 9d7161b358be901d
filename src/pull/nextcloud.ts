import type { ImportChunk } from '../domain/import-chunk.ts';
import { createApiClient, type PullEvents } from './api-client.ts';
import { toChunks } from './history.ts';
import { toObject, toObjects, toUrls } from './lenient-json.ts';
import { explainStatus } from './remote-error.ts';
import type { Remote } from './remote.ts';

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
  const answer = await get([...APP, 'subscriptions'], { since: '0' }).catch(
    explainStatus('Nextcloud with the app GPodder Sync'),
  );
  const changes = toObject(answer, 'subscriptions');
  yield { kind: 'subscriptions', device: DEVICE, urls: toUrls(changes.add, 'subscriptions') };

  const history = toObject(await get([...APP, 'episode_action'], { since: '0' }), 'episode actions');
  yield* toChunks(toObjects(history.actions, 'episode actions'));
  onGap('devices, settings and podcast lists: a Nextcloud has none');
  onGap('earlier actions of an episode: a Nextcloud keeps only the last one');
}
