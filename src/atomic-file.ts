import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

interface WriteOptions {
  /** What to do if the file cannot be written. */
  advice?: string;
  /** Called with the path of the complete temporary file, before it takes its name. */
  verify?: (path: string) => Promise<void>;
}

/** The end of the names of temporary files. */
export const TEMPORARY = '.tmp';

/**
 * Replaces a file atomically: writes `content` to a temporary file beside it, verifies that, and renames it. Keeps a symbolic
 * link. Only the owner may read the new file, even if others could read the old one: feed addresses can be secrets. Rejects
 * with the reason and `advice` if it cannot be written, or with what `content` or `verify` throws; the old file then stays.
 */
export async function writeAtomically(
  path: string,
  content: string | AsyncIterable<string | Uint8Array>,
  { advice = 'choose another file with -o', verify = async () => undefined }: WriteOptions = {},
): Promise<{ bytes: number }> {
  const target = await realpath(path).catch(() => path); // it need not exist yet
  const existing = await stat(target).catch(() => undefined);
  // Replacing /dev/null or a folder by a file would be a mistake.
  if (existing?.isFile() === false) {
    throw new Error(`${path} is not a file; choose another one with -o, or - for standard output`);
  }
  const temporary = `${target}.${randomUUID()}${TEMPORARY}`;
  let failure: unknown;
  const fail = (error: unknown): never => {
    failure = error;
    throw error;
  };
  const watch = async function* (chunks: AsyncIterable<string | Uint8Array>) {
    try {
      yield* chunks;
    } catch (error) {
      fail(error);
    }
  };
  try {
    const file = await open(temporary, 'wx', 0o600);
    let bytes: number;
    try {
      await writeFile(file, typeof content === 'string' ? content : watch(content));
      await file.sync();
      bytes = (await file.stat()).size;
    } finally {
      await file.close();
    }
    await verify(temporary).catch(fail);
    await rename(temporary, target);
    await syncFolder(dirname(target));
    return { bytes };
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (failure !== undefined) throw failure;
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be written (${code}); ${advice}`, { cause: error });
  }
}

/** Makes the new name durable. Not every system can do that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
