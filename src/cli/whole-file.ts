import { open, rename, rm, writeFile } from 'node:fs/promises';

/** Who may read what is written; everybody that the system lets, unless given. */
export interface FileChoice {
  isPrivate?: boolean;
}

/**
 * Writes a file beside its place and puts it there once it is complete: what was there stays until then. Rejects with
 * why it cannot be written, or with what `content` throws.
 */
export async function writeWhole(
  path: string,
  content: string | AsyncIterable<string | Uint8Array>,
  { isPrivate = false }: FileChoice = {},
): Promise<void> {
  const beside = `${path}.${process.pid}.tmp`;
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
    const file = await open(beside, 'wx', isPrivate ? 0o600 : 0o666);
    try {
      await writeFile(file, typeof content === 'string' ? content : watch(content));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    if (failure !== undefined) throw failure;
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${path} cannot be written (${code}); choose another place with -o`, { cause: error });
  }
}
