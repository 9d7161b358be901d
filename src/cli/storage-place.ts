import { isAbsolute, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { parseStorageSpec } from '../storage/location.ts';
import { findControlSocket } from './control-place.ts';
import { isMissing } from './data-folder.ts';

/** Where the plugins that keep files have them, from the data folder on, unless they are told. */
const OWN_PLACES: ReadonlyMap<string, string> = new Map([
  ['json', ''],
  ['sqlite', 'podsync.sqlite'],
]);

/**
 * Rejects where the files of a storage are not there: podsync would make new ones, though the name of old ones was
 * spelled wrong. A server that runs goes by its own storage.
 */
export async function requireStorage({ data, storage }: Pick<Config, 'data' | 'storage'>): Promise<void> {
  const { plugin, location } = parseStorageSpec(storage);
  const own = OWN_PLACES.get(plugin);
  if (own === undefined) return;
  const place = resolve(data, location || own);
  if (!(await isMissing(place)) || (await findControlSocket(data)) !== undefined) return;
  if (!isAbsolute(location) && (await isMissing(data))) {
    throw new Error(`there is no data folder ${data}; name the one that is meant with --data`);
  }
  throw new Error(`there is no storage at ${place}; look whether its place is spelled right`);
}
