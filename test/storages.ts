import { createTestDatabase } from './postgres/database.ts';

export type StorageName = 'json' | 'sqlite' | 'postgres';

/** The storage of this test run: see the projects in `vitest.config.ts`. */
export const STORAGE = (process.env['PODSYNC_TEST_STORAGE'] ?? 'json') as StorageName;

/** The share of random cases to run: all of them on the most common storage. */
export const SHARE = STORAGE === 'json' ? 1 : 0.1;

/** An empty storage. */
export interface TestStorage {
  /** As `--storage` takes it; relative to the data folder. */
  spec: string;
  /** Removes everything outside the data folder. */
  destroy(): Promise<void>;
}

export async function createTestStorage(name: StorageName = STORAGE): Promise<TestStorage> {
  if (name !== 'postgres') return { spec: name, destroy: async () => undefined };
  const { url, destroy } = await createTestDatabase();
  return { spec: url, destroy };
}
