import { createStorage } from '../../src/storage/storage.ts';
import { MemoryDatabase, openMemoryStore } from './memory-store.ts';
import { testStores } from './suite/index.ts';

for (const [name, isShared] of [
  ['one process', false],
  ['several processes', true],
] as const) {
  testStores(`the memory of ${name}`, async () => {
    const database = new MemoryDatabase();
    return {
      open: async (context) => createStorage(openMemoryStore(database, isShared), context),
      destroy: async () => undefined,
    };
  });
}
