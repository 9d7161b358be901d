import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files together. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Logos on disk. They can be fetched again: nothing here needs to be durable, and the oldest are deleted first. */
export interface LogoCache {
  read(name: string): Promise<Buffer | undefined>;
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Does nothing if it does not exist. */
  remove(name: string): Promise<void>;
}

export function createLogoCache(folder: string, maxBytes = MAX_BYTES): LogoCache {
  /** Size of each file, oldest first. */
  let files: Promise<Map<string, number>> | undefined;
  let size = 0;

  const scan = async (): Promise<Map<string, number>> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    const found = await Promise.all(names.map(async (name) => ({ name, ...(await measure(join(folder, name))) })));
    size = found.reduce((sum, file) => sum + file.size, 0);
    return new Map(found.toSorted((a, b) => a.changedAt - b.changedAt).map((file) => [file.name, file.size]));
  };

  return {
    read: (name) => readFile(join(folder, name)).catch(() => undefined),

    async write(name, bytes) {
      files ??= scan().catch((error) => {
        files = undefined;
        throw error;
      });
      const known = await files;
      const path = join(folder, name);
      try {
        await writeFile(`${path}.new`, bytes, { mode: 0o600 });
        await rename(`${path}.new`, path);
      } catch (error) {
        files = undefined; // the folder may have been deleted: it is created again next time
        throw error;
      }
      size += bytes.length - (known.get(name) ?? 0);
      known.delete(name);
      known.set(name, bytes.length);
      for (const [oldest, oldSize] of known) {
        if (size <= maxBytes || oldest === name) break;
        known.delete(oldest);
        size -= oldSize;
        await rm(join(folder, oldest), { force: true });
      }
    },

    remove: (name) => rm(join(folder, name), { force: true }), // its size is corrected when it is written again
  };
}

async function measure(path: string): Promise<{ size: number; changedAt: number }> {
  const { size, mtimeMs } = await stat(path);
  return { size, changedAt: mtimeMs };
}
