import { type Call, changesPath, type Device, episodesPath, loginPath, lots, since } from './client.ts';
import { Library } from './library.ts';

/**
 * AntennaPod: pulls and then pushes, in lots of 30, and keeps only the mark of its last push. It keeps nothing of a sync
 * that fails: neither mark nor what was uploaded of the queue.
 */
export function createAntennaPod(name: string): Device {
  const library = new Library();
  let subscriptionsSince = 0;
  let episodesSince = 0;

  function* syncSubscriptions(): Generator<Call, void, any> {
    const pulled = yield { method: 'GET', path: since(changesPath(name), subscriptionsSince) };
    library.take(pulled);
    let mark = pulled.timestamp;
    const queued = library.changes;
    const isFirst = subscriptionsSince === 0;
    const add = isFirst ? [...library.subscriptions].filter((feed) => !pulled.add.includes(feed)) : queued.add;
    if (add.length > 0 || queued.remove.length > 0) {
      const pushed = yield { method: 'POST', path: changesPath(name), body: { add, remove: queued.remove } };
      library.changesUploaded(queued);
      mark = pushed.timestamp;
    }
    subscriptionsSince = mark;
  }

  function* syncEpisodes(): Generator<Call, void, any> {
    const pulled = yield { method: 'GET', path: since(episodesPath, episodesSince) };
    let mark = pulled.timestamp;
    const queued = library.actions;
    for (const lot of lots(queued, 30)) {
      const pushed = yield { method: 'POST', path: episodesPath, body: lot };
      mark = pushed.timestamp;
    }
    library.actionsUploaded(queued);
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
