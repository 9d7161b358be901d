import { type Call, changesPath, type Device, episodesPath, loginPath, toBatches, since } from './client.ts';
import { Library } from './library.ts';

/**
 * AntennaPod: pulls and then pushes, in batches of 30, and keeps only the mark of its last push. After a failed sync it
 * keeps its old mark and its whole queue.
 */
export function createAntennaPod(name: string): Device {
  const library = new Library();
  let subscriptionsSince = 0;
  let episodesSince = 0;

  function* syncSubscriptions(): Generator<Call, void, any> {
    const pulled = yield { method: 'GET', path: since(changesPath(name), subscriptionsSince) };
    library.apply(pulled);
    let mark = pulled.timestamp;
    const queued = library.changes;
    const isFirst = subscriptionsSince === 0;
    const add = isFirst ? [...library.subscriptions].filter((feed) => !pulled.add.includes(feed)) : queued.add;
    if (add.length > 0 || queued.remove.length > 0) {
      const pushed = yield { method: 'POST', path: changesPath(name), body: { add, remove: queued.remove } };
      library.markChangesUploaded(queued);
      mark = pushed.timestamp;
    }
    subscriptionsSince = mark;
  }

  function* syncEpisodes(): Generator<Call, void, any> {
    const pulled = yield { method: 'GET', path: since(episodesPath, episodesSince) };
    let mark = pulled.timestamp;
    const queued = library.actions;
    for (const batch of toBatches(queued, 30)) {
      const pushed = yield { method: 'POST', path: episodesPath, body: batch };
      mark = pushed.timestamp;
    }
    library.markActionsUploaded(queued);
    episodesSince = mark;
  }

  return {
    name,
    library,
    sendsPassword: 'at first',
    *sync() {
      yield { method: 'POST', path: loginPath };
      yield* syncSubscriptions();
      yield* syncEpisodes();
    },
  };
}
