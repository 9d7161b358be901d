import { randomUUID } from 'node:crypto';
import { realpath, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { replaceFile, syncFolder } from './durable-files.ts';

interface WriteOptions {
  /** What to do if the file cannot be written. */
  advice: string;
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
  { advice, verify = async () => undefined }: WriteOptions,
): Promise<{ bytes: number }> {
  const target = await realpath(path).catch(() => path); // it need not exist yet
  const existing = await stat(target).catch(() => undefined);
  // Replacing /dev/null or a folder by a file would be a mistake.
  if (existing?.isFile() === false) {
    throw new Error(`${path} is not a file; ${advice}`);
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
    const bytes = await replaceFile(target, temporary, async (file) => {
      await writeFile(file, typeof content === 'string' ? content : watch(content));
      await verify(temporary).catch(fail);
      return (await file.stat()).size;
    });
    await syncFolder(dirname(target)).catch(() => undefined); // not every system can do that
    return { bytes };
  } catch (error) {
    if (failure !== undefined) throw failure;
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be written (${code}); ${advice}`, { cause: error });
  }
}
