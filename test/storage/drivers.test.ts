import json from '../../plugins/json/index.ts';
import postgres from '../../plugins/postgres/index.ts';
import sqlite from '../../plugins/sqlite/index.ts';
import type { StoragePlugin } from '../../src/storage/contract.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { createTestDatabase } from '../postgres/database.ts';
import { testStores } from './suite/index.ts';

/** The stores over a plugin; `createLocation` creates an empty backend. */
function testOver<Options>(
  plugin: StoragePlugin<Options>,
  createLocation: () => Promise<{ location: string; destroy(): Promise<void> }>,
): void {
  testStores(plugin.name, async () => {
    const { location, destroy } = await createLocation();
    return {
      open: async (context) => createStorage(await plugin.open(plugin.parse(location), context), context),
      destroy,
    };
  });
}

const inDataFolder = async () => ({ location: '', destroy: async () => undefined });

testOver(json, inDataFolder);
testOver(sqlite, inDataFolder);
testOver(postgres, async () => {
  const { url, destroy } = await createTestDatabase();
  return { location: url, destroy };
});
