import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a file system that cannot be written',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'a part of the path is a file',
  ENOSPC: 'there is no room left',
};

/** Makes the data folder where it is missing, for its owner alone. Rejects with why it cannot be used. */
export async function openDataFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
    await access(`${path}/`, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Error(
      `the data folder ${path} cannot be used: ${REASONS[code] ?? code}; choose another one with --data`,
      {
        cause: error,
      },
    );
  }
}

/** Not `recursive`: with that, Node tries for ever where the system says ENOENT in a folder that is there, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}
