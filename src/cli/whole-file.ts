import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Writes a file beside its place and puts it there once it is complete: what was there stays until then. A link stays
 * one. Only its owner may read the file, whatever the mode of the one before: feed addresses can be secrets, too.
 * Rejects with why it cannot be written, or with what `content` throws.
 */
export async function writeWhole(path: string, content: string | AsyncIterable<string | Uint8Array>): Promise<void> {
  const place = await realpath(path).catch(() => path); // nothing is there yet
  const there = await stat(place).catch(() => undefined);
  // Nobody means to replace /dev/null or a folder by a file.
  if (there?.isFile() === false) {
    throw new Error(`${path} is no file; choose another place with -o, or - for standard output`);
  }
  const beside = `${place}.${randomUUID()}.tmp`;
  let failure: unknown;
  const watch = async function* (pieces: AsyncIterable<string | Uint8Array>) {
    try {
      yield* pieces;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    const file = await open(beside, 'wx', 0o600);
    try {
      await writeFile(file, typeof content === 'string' ? content : watch(content));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, place);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    if (failure !== undefined) throw failure;
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be written (${code}); choose another place with -o`, { cause: error });
  }
}
