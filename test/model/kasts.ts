import { type Call, changesPath, type Device, episodesPath, toBatches, since } from './client.ts';
import { Library } from './library.ts';

/**
 * Kasts: keeps each mark plus one as soon as it is received, that of a pull and that of the last batch of 30 pushed. It
 * asks again at once while the mark is more than 10 seconds behind its own clock (seconds) and there were actions.
 */
export function createKasts(name: string, clock: () => number): Device {
  const library = new Library();
  let subscriptionsSince = 0;
  let episodesSince = 0;

  function* syncSubscriptions(): Generator<Call, void, any> {
    const queued = library.changes;
    const isFirst = subscriptionsSince === 0;
    const add = isFirst ? [...library.subscriptions] : queued.add;
    const pulled = yield { method: 'GET', path: since(changesPath(name), subscriptionsSince) };
    library.apply(pulled);
    subscriptionsSince = pulled.timestamp + 1;
    if (add.length === 0 && queued.remove.length === 0) return;
    const pushed = yield { method: 'POST', path: changesPath(name), body: { add, remove: queued.remove } };
    subscriptionsSince = pushed.timestamp + 1;
    library.markChangesUploaded(queued);
  }

  function* syncEpisodes(): Generator<Call, void, any> {
    let hasMore = true;
    while (hasMore) {
      const aggregated = episodesSince === 0;
      const path = `${since(episodesPath, episodesSince)}&aggregated=${aggregated}`;
      const pulled = yield { method: 'GET', path };
      episodesSince = pulled.timestamp + 1;
      hasMore = pulled.timestamp <= clock() - 10 && pulled.actions.length > 0;
    }
    const queued = library.actions;
    let mark: number | undefined;
    for (const batch of toBatches(queued, 30)) {
      const pushed = yield { method: 'POST', path: episodesPath, body: batch };
      mark = pushed.timestamp;
    }
    if (mark !== undefined) episodesSince = mark + 1;
    library.markActionsUploaded(queued);
  }

  return {
    name,
    library,
    sendsPassword: 'always',
    *sync() {
      yield* syncSubscriptions();
      yield* syncEpisodes();
    },
  };
}
