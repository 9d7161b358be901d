import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { createFolder } from '../../durable-files.ts';
import { parseStorageSpec } from '../../storage/location.ts';
import { findControlSocket } from '../control-path.ts';
import { cannotRead } from '../files.ts';
import { programName } from '../invocation.ts';
import { messages } from '../output.ts';
import { confirm } from '../prompt.ts';

const CHOOSE = 'choose another one with --data';
const NOT_ALLOWED = `this user may not write there; run the command as the owner of the folder, or ${CHOOSE}`;
const NOT_FOLDER = `a part of the path is a file; ${CHOOSE}`;
const REASONS: Readonly<Record<string, string>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: `its file system is read-only; ${CHOOSE}`,
  ENOENT: `no folder can be created there; ${CHOOSE}`,
  EEXIST: NOT_FOLDER,
  ENOTDIR: NOT_FOLDER,
  ENOSPC: `the disk is full; free some space, or ${CHOOSE}`,
};

/**
 * Creates the data folder if it is missing, for its owner only; returns whether it was missing. Rejects with the reason
 * if it cannot be used.
 */
export async function openDataFolder(path: string): Promise<boolean> {
  try {
    const isNew = (await createFolder(path)) !== undefined;
    await access(`${path}/`, constants.R_OK | constants.W_OK | constants.X_OK);
    return isNew;
  } catch (error) {
    throw cannotUse(path, error as NodeJS.ErrnoException);
  }
}

function cannotUse(path: string, cause: NodeJS.ErrnoException): Error {
  const { code = 'unknown error' } = cause;
  return new Error(`the data folder ${path} cannot be used: ${REASONS[code] ?? `${code}; ${CHOOSE}`}`, { cause });
}

/**
 * The same for a command that may have been typed in the wrong folder: on a terminal it asks before it creates a data
 * folder, elsewhere it reports that it created one. Also rejects if the answer is not yes.
 */
export async function openDataFolderOrAsk(path: string): Promise<void> {
  const isAsked = process.stdin.isTTY && (await isMissing(path));
  if (isAsked) {
    await confirm(`The data folder ${path} does not exist. Create it? (--data or PODSYNC_DATA selects another)`);
  }
  const isNew = await openDataFolder(path);
  if (isNew && !isAsked) reportNewFolder(path);
}

export const reportNewFolder = (path: string): void =>
  messages.info(`Created the data folder ${path}; --data or PODSYNC_DATA selects another one`);

/** Other problems are reported when it is opened. */
export const isMissing = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
  );

/**
 * The text of a file in the data folder; undefined if the file or the folder does not exist. Rejects with the reason if it
 * cannot be read. `title` is the file in messages.
 */
export async function readOptional(path: string, title = path): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // A folder that does not exist is reported when it is opened.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code!)) return undefined;
    // If the file cannot even be found, it need not exist: the folder belongs to another user.
    await stat(path).catch((cause) => {
      throw cannotUse(dirname(path), cause);
    });
    throw cannotRead(title, error);
  }
}

/**
 * Rejects if root would leave files in a folder that podsync uses as another user, who could not read them: the server
 * would no longer start.
 */
export async function requireOwnFolder(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const clock = await stat(join(path, 'clock')).catch(() => undefined); // owned by the last user of the folder
  if (!clock || clock.uid === 0) return;
  throw new Error(
    `the data folder ${path} belongs to another user, who could not read files that root creates; run the command as that user: sudo -u '#${clock.uid}' ${programName()} ...`,
  );
}

/** Default locations of the plugins that store files, relative to the data folder. */
const DEFAULT_LOCATIONS: ReadonlyMap<string, string> = new Map([
  ['json', ''],
  ['sqlite', 'podsync.sqlite'],
]);

/** The path of the files of a storage; undefined for a storage without files. */
export function storagePath({ data, storage }: Pick<Config, 'data' | 'storage'>): string | undefined {
  const { plugin, location } = parseStorageSpec(storage);
  const usual = DEFAULT_LOCATIONS.get(plugin);
  return usual === undefined ? undefined : resolve(data, location || usual);
}

/**
 * Rejects if the files of a storage, which `option` names, do not exist: podsync would create new ones, but the location may
 * be misspelled. A running server uses its own storage.
 */
export async function requireStorage(
  { data, storage }: Pick<Config, 'data' | 'storage'>,
  option = '--storage',
): Promise<void> {
  const path = storagePath({ data, storage });
  if (path === undefined || !(await isMissing(path)) || (await findControlSocket(data)) !== undefined) return;
  if (!isAbsolute(parseStorageSpec(storage).location) && (await isMissing(data))) {
    throw new Error(`the data folder ${data} does not exist; select the right one with --data`);
  }
  throw new Error(`no storage found at ${path}; check --data and ${option}`);
}
