import { cp, stat } from 'node:fs/promises';

/** Copies the files of an open store, as a crash would leave them. */
export const copyFolder = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, filter: async (path) => !(await stat(path)).isSocket() });
