import type { Piece } from '../domain/piece.ts';
import { createAsker, type Listener } from './asker.ts';
import type { Remote } from './remote.ts';
import { toObject, toObjects, toUrls } from './shapes.ts';

/** Actions in one piece. */
const LOT = 1000;
const APP = ['index.php', 'apps', 'gpoddersync'];
/** What the subscriptions of a Nextcloud, which knows no devices, are put on. */
const DEVICE = 'nextcloud';

/**
 * An account of the Nextcloud app `gpoddersync`, or of a server with its interface: subscriptions, and the last episode
 * action of each episode, which is all that it keeps. Rejects with a RemoteError where either cannot be had.
 */
export async function* readNextcloudAccount(remote: Remote, listener: Listener): AsyncIterable<Piece> {
  const { ask, gap, expect } = createAsker(remote, listener);
  expect(2);
  const changes = toObject(await ask([...APP, 'subscriptions'], { since: '0' }), 'subscriptions');
  yield { kind: 'subscriptions', device: DEVICE, urls: toUrls(changes.add, 'subscriptions') };

  const history = toObject(await ask([...APP, 'episode_action'], { since: '0' }), 'episode actions');
  const actions = toObjects(history.actions, 'episode actions');
  for (let at = 0; at < actions.length; at += LOT) yield { kind: 'actions', actions: actions.slice(at, at + LOT) };
  gap('devices, settings and podcast lists: a Nextcloud has none');
  gap('earlier actions of an episode: a Nextcloud keeps the last one');
}
