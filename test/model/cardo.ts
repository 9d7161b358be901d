import { type Call, changesPath, type Device, episodesPath, since } from './client.ts';
import { Library } from './library.ts';

/** Cardo: sends the time of its own clock (seconds) at the end of its last sync. */
export function createCardo(name: string, clock: () => number): Device {
  const library = new Library();
  let lastSync = 0;

  function* sync(): Generator<Call, void, any> {
    library.apply(yield { method: 'GET', path: since(changesPath(name), lastSync) });
    const changes = library.changes;
    if (changes.add.length > 0 || changes.remove.length > 0) {
      yield { method: 'POST', path: changesPath(name), body: changes };
      library.markChangesUploaded(changes);
    }
    yield { method: 'GET', path: `${since(episodesPath, lastSync)}&aggregated=true` };
    const played = library.actions;
    yield { method: 'POST', path: episodesPath, body: played };
    library.markActionsUploaded(played);
    lastSync = clock();
  }

  return { name, library, sendsPassword: 'always', sync };
}
