import { isAbsolute, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeAtomically } from '../../atomic-file.ts';
import type { Config } from '../../config.ts';
import { pluginPath } from '../../storage/load.ts';
import { parseStorageSpec, redactLocation } from '../../storage/location.ts';
import { programName, quote } from '../invocation.ts';
import { readOptional, storagePath } from './data-folder.ts';

/** A data folder and its storage, as in the configuration. */
type StorageChoice = Pick<Config, 'data' | 'storage'>;

const VERSION = 1;

/** The file in a data folder that names its storage: `{"version": 1, "storage": "sqlite:podsync.db"}`. */
export const recordIn = (data: string): string => join(data, 'podsync.json');

/**
 * The storage that a data folder is used with, as `--storage` takes it, except that passwords are replaced by `***`.
 * Undefined for a folder that was not used with a storage yet. Rejects if the file cannot be read.
 */
export async function readStorageRecord(data: string): Promise<string | undefined> {
  const path = recordIn(data);
  const text = await readOptional(path);
  if (text === undefined) return undefined;
  const { version, storage } = parseRecord(text);
  if (version === VERSION && typeof storage === 'string' && storage !== '') return storage;
  throw new Error(
    typeof version === 'number' && version > VERSION
      ? `${path} was written by a newer version of podsync; install that version`
      : `${path} cannot be read; remove it and name the storage with --storage`,
  );
}

function parseRecord(text: string): { version?: unknown; storage?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

const UNRECORDED = 'until it can be, name the storage in each command with --storage';

/** Records the storage of a data folder. A recorded one that is the same, with the same hosts, keeps its spelling. */
export async function writeStorageRecord(choice: StorageChoice): Promise<void> {
  const storage = toRecord(choice);
  const recorded = await readStorageRecord(choice.data);
  if (recorded !== undefined && identitiesOf(recorded).join() === identitiesOf(storage).join()) return;
  await writeAtomically(recordIn(choice.data), `${JSON.stringify({ version: VERSION, storage })}\n`, {
    advice: UNRECORDED,
  });
}

/** Rejects if the data folder is used with another storage, and explains how to change that. */
export async function requireRecordedStorage(choice: StorageChoice): Promise<void> {
  const { data } = choice;
  const recorded = await readOtherRecord(choice);
  if (recorded === undefined) return;
  const storage = toRecord(choice);
  const migrate = `${programName()} migrate --from ${quote(recorded)} --to ${quote(storage)} --data ${quote(data)}`;
  throw new Error(
    [
      `the data folder ${data} is used with the storage ${recorded}, not ${storage}`,
      `To continue with ${recorded}, leave out --storage (PODSYNC_STORAGE, "storage" in a config file)`,
      `To move everything: ${migrate}`,
      `To use ${storage} without the data of ${recorded}, remove ${recordIn(data)} or choose another folder with --data`,
    ].join('. '),
  );
}

/** Rejects if a migration from this storage would replace newer data: that of the storage which the data folder uses. */
export async function requireRecordedSource(choice: StorageChoice): Promise<void> {
  const recorded = await readOtherRecord(choice);
  if (recorded === undefined) return;
  throw new Error(
    `the data folder ${choice.data} is used with the storage ${recorded}, not ${toRecord(choice)}; name that one with --from, or, if its data is not needed, remove ${recordIn(choice.data)} first`,
  );
}

/** The recorded storage of the data folder, if it is another one. */
async function readOtherRecord(choice: StorageChoice): Promise<string | undefined> {
  const recorded = await readStorageRecord(choice.data);
  return recorded === undefined || isSame(recorded, toRecord(choice)) ? undefined : recorded;
}

/** Rejects for a recorded storage that cannot be opened without its password. */
export function requirePassword(storage: string): void {
  if (!/[:=]\*{3}/.test(storage)) return;
  throw new Error(
    `podsync does not store the password of ${storage}; give the storage with its password, in --storage, PODSYNC_STORAGE or a config file`,
  );
}

/** The canonical spelling of a storage: paths in the data folder are relative to it, others are absolute. */
function toRecord({ data, storage }: StorageChoice): string {
  const path = storagePath({ data, storage });
  if (path !== undefined) {
    const { plugin } = parseStorageSpec(storage);
    if (path === storagePath({ data, storage: plugin })) return plugin;
    const inside = relative(data, path);
    return `${plugin}:${inside.startsWith('..') || isAbsolute(inside) ? path : inside}`;
  }
  return redactLocation(toAbsolutePlugin(storage, process.cwd()));
}

/** The same storage: the path of a plugin, which may be relative to `folder`, becomes the URL of the file. */
export function toAbsolutePlugin(storage: string, folder: string): string {
  const { kind, plugin, location } = parseStorageSpec(storage);
  if (kind !== 'file') return storage;
  const [scheme, ...rest] = pathToFileURL(pluginPath(plugin, folder)).href.split(':');
  return `${scheme}:${rest.join('%3A')}${location && `:${location}`}`;
}

/**
 * For PostgreSQL only hosts, ports and database count: users, passwords and options may change. One common host is
 * enough, so that machines can be added and replaced one by one.
 */
function isSame(one: string, other: string): boolean {
  const [hosts, others] = [identitiesOf(one), identitiesOf(other)];
  return hosts.some((host) => others.includes(host));
}

/** One for each host. */
function identitiesOf(record: string): string[] {
  const { plugin, location } = parseStorageSpec(record);
  const [, start = '', hosts = '', rest = ''] = HOSTS.exec(location) ?? [];
  const urls = hosts.split(',').map((host) => `${start}${host}${rest}`);
  if (plugin !== 'postgres' || !urls.every((url) => URL.canParse(url))) return [record];
  return urls.map((url) => {
    const { hostname, port, pathname, searchParams } = new URL(url);
    return [searchParams.get('host') ?? hostname, port || '5432', pathname].join(' ');
  });
}

/** The URL of a database in parts: what is before its hosts, the hosts, and what is after them. */
const HOSTS = /^(\w+:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/;
