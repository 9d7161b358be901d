import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/** The error for a file named by the user that could not be read. */
export function cannotRead(file: string, cause: unknown): Error {
  const { code } = cause as NodeJS.ErrnoException;
  return new Error(`${file} cannot be read (${code}); check its name and its permissions`, { cause });
}

/**
 * Replaces a file in one step: `content` goes to a temporary file beside it, which takes its name once it is complete. A
 * symbolic link stays one. Only the owner may read the file, whatever its mode was: feed addresses can be secrets, too.
 * Rejects with why it cannot be written and `advice`, or with what `content` throws; the file is then as it was.
 */
export async function writeAtomically(
  path: string,
  content: string | AsyncIterable<string | Uint8Array>,
  advice = 'choose another file with -o',
): Promise<{ bytes: number }> {
  const target = await realpath(path).catch(() => path); // it need not exist yet
  const existing = await stat(target).catch(() => undefined);
  // Nobody means to replace /dev/null or a folder by a file.
  if (existing?.isFile() === false) {
    throw new Error(`${path} is not a file; choose another one with -o, or - for standard output`);
  }
  const temporary = `${target}.${randomUUID()}.tmp`;
  let failure: unknown;
  const watch = async function* (chunks: AsyncIterable<string | Uint8Array>) {
    try {
      yield* chunks;
    } catch (error) {
      failure = error;
      throw error;
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
    await rename(temporary, target);
    return { bytes };
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (failure !== undefined) throw failure;
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be written (${code}); ${advice}`, { cause: error });
  }
}
