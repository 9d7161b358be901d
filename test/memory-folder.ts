import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';

const MEMORY = '/dev/shm';
/** All files of a run take less than a tenth of it. Bytes. */
const ENOUGH = 4 * 1024 ** 3;

/**
 * Moves the temporary files of the tests to memory, where there is room for them: a third of the time of the tests would
 * otherwise be spent waiting for the disk. Returns the teardown.
 */
export async function useMemoryFolder(): Promise<() => Promise<void>> {
  if (process.env['TMPDIR'] || !(await hasRoom())) return async () => undefined;
  const folder = await mkdtemp(`${MEMORY}/podsync-`);
  await chmod(folder, 0o711); // PostgreSQL may run as another user
  process.env['TMPDIR'] = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Containers often have little memory there, or allow no programs. */
async function hasRoom(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    const [, flags = 'noexec'] = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(await readFile('/proc/mounts', 'utf8')) ?? [];
    return bavail * bsize >= ENOUGH && !flags.split(',').includes('noexec');
  } catch {
    return false; // not Linux
  }
}
