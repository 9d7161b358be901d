import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { confirm } from './prompt.ts';
import { words } from './words.ts';

const ELSEWHERE = 'choose another one with --data';
const FOREIGN = `this user may not write there; run this as the user that owns it, or ${ELSEWHERE}`;
const REASONS: Readonly<Record<string, string>> = {
  EACCES: FOREIGN,
  EPERM: FOREIGN,
  EROFS: `it is on a file system that cannot be written; ${ELSEWHERE}`,
  ENOENT: `no folder can be made there; ${ELSEWHERE}`,
  ENOTDIR: `a part of the path is a file; ${ELSEWHERE}`,
  ENOSPC: `there is no room left; free some space, or ${ELSEWHERE}`,
};

/**
 * Makes the data folder where it is missing, for its owner alone; answers whether it was. Rejects with why it cannot be
 * used.
 */
export async function openDataFolder(path: string): Promise<boolean> {
  try {
    const isNew = await makeFolder(path);
    await access(`${path}/`, constants.R_OK | constants.W_OK | constants.X_OK);
    return isNew;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const reason = REASONS[code] ?? `${code}; ${ELSEWHERE}`;
    throw new Error(`the data folder ${path} cannot be used: ${reason}`, { cause: error });
  }
}

/**
 * The same for a command that may have been typed in the wrong folder: on a terminal it asks before it creates a data
 * folder, elsewhere it says where it created one. Rejects where the answer is not yes, too.
 */
export async function openDataFolderOrAsk(path: string): Promise<void> {
  const isAsked = process.stdin.isTTY && (await isMissing(path));
  if (isAsked) await confirm(`There is no data folder ${path}. Create it? (--data or PODSYNC_DATA names another one.)`);
  const isNew = await openDataFolder(path);
  if (!isNew || isAsked) return;
  words.info(
    `there was no data folder ${path}, so it was created; if you meant another one, name it with --data or PODSYNC_DATA`,
  );
}

/** Whatever else is wrong with it shows when it is opened. */
export const isMissing = (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
  );

/**
 * Rejects where root would leave files in a folder that podsync uses as another user: that one could not read them, and
 * would not start any more.
 */
export async function requireOwnFolder(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const clock = await stat(join(path, 'clock')).catch(() => undefined); // of whoever used the folder last
  if (!clock || clock.uid === 0) return;
  throw new Error(
    `the data folder ${path} is used by another user, who could not read what root writes there; run this as that user, as with: sudo -u '#${clock.uid}' podsync ...`,
  );
}

/** Not `recursive`: with it Node tries for ever where a folder that exists answers ENOENT, as in /proc. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
  return true;
}
