import { type Call, changesPath, type Device, devicePath, episodesPath, toBatches, since } from './client.ts';
import { Library } from './library.ts';

/**
 * gPodder: one mark for subscriptions, of the last pull or push, and one for episodes, of the last pull only. Marks are
 * kept as soon as they are received; episodes are sent in batches of 100.
 */
export function createGpodder(name: string): Device {
  const library = new Library();
  let isKnown = false;
  let subscriptionsSince = 0;
  let episodesSince = 0;

  function* syncSubscriptions(): Generator<Call, void, any> {
    const pulled = yield { method: 'GET', path: since(changesPath(name), subscriptionsSince) };
    subscriptionsSince = pulled.timestamp;
    library.apply(pulled);
    const queued = library.changes;
    if (queued.add.length === 0 && queued.remove.length === 0) return;
    const pushed = yield { method: 'POST', path: changesPath(name), body: queued };
    subscriptionsSince = pushed.timestamp;
    library.markChangesUploaded(queued);
  }

  function* syncEpisodes(queued: Library['actions']): Generator<Call, void, any> {
    const pulled = yield { method: 'GET', path: since(episodesPath, episodesSince) };
    episodesSince = pulled.timestamp;
    for (const batch of toBatches(queued, 100)) {
      yield { method: 'POST', path: episodesPath, body: batch };
      library.markActionsUploaded(batch);
    }
  }

  return {
    name,
    library,
    sendsPassword: 'at first',
    *sync() {
      if (!isKnown) yield { method: 'POST', path: devicePath(name), body: { caption: name, type: 'desktop' } };
      isKnown = true;
      yield* syncSubscriptions();
      yield* syncEpisodes(library.actions);
    },
  };
}
