import { afterEach, beforeEach, describe, it } from 'vitest';
import { createStorage } from '../../src/storage/storage.ts';
import { MemoryDatabase, openMemoryStore } from './memory-store.ts';
import { storesSuite } from './suite/index.ts';

for (const [name, isShared] of [
  ['one process', false],
  ['several processes', true],
] as const) {
  storesSuite(
    `in memory, of ${name}`,
    async () => {
      const database = new MemoryDatabase();
      return {
        open: async (context) => createStorage(openMemoryStore(database, isShared), context),
        destroy: async () => undefined,
      };
    },
    { describe, it, beforeEach, afterEach },
  );
}
