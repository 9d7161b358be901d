import { cpSync, statSync } from 'node:fs';

/**
 * Copies the files of an open store, as a crash would leave them. Not asynchronously: a checkpoint of the store would
 * remove files and folders meanwhile.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  const isCopied = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isSocket() === false;
  cpSync(from, to, { recursive: true, filter: isCopied });
}
