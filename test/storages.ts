import { createTestDatabase } from './postgres/database.ts';

export type StorageName = 'json' | 'sqlite' | 'postgres';

/** What the tests of this run are on: see the projects in `vitest.config.ts`. */
export const STORAGE = (process.env['PODSYNC_TEST_STORAGE'] ?? 'json') as StorageName;

/** How much of what is tried at random is tried: all of it on the storage that most will run. */
export const SHARE = STORAGE === 'json' ? 1 : 0.1;

/** An empty storage. */
export interface TestStorage {
  /** As `--storage` takes it; relative to the data folder. */
  spec: string;
  /** Removes what does not lie in the data folder. */
  destroy(): Promise<void>;
}

export async function createTestStorage(name: StorageName = STORAGE): Promise<TestStorage> {
  if (name !== 'postgres') return { spec: name, destroy: async () => undefined };
  const { url, destroy } = await createTestDatabase();
  return { spec: url, destroy };
}
