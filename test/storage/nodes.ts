import type { KeyValueStore } from '../../src/storage/contract.ts';
import { createStorage } from '../../src/storage/storage.ts';
import type { Storage } from '../../src/storage/stores.ts';
import { type Faults, MemoryDatabase, openMemoryStore } from './memory-store.ts';
import { OVERLAP, START } from './suite/bench.ts';

export interface Node {
  storage: Storage;
  store: KeyValueStore & Faults;
}

/** A clock controlled by the test, one database, and nodes that use it. */
export class Cluster {
  readonly database = new MemoryDatabase();
  at = START;

  readonly now = (): number => this.at;

  /** `isShared`: whether other nodes may use the database, too. */
  async open(isShared = true): Promise<Node> {
    const store = openMemoryStore(this.database, isShared);
    const context = { dataDir: '', now: this.now, overlap: OVERLAP, log: () => undefined };
    const storage = await createStorage(store, context);
    store.calls = [];
    return { storage, store };
  }

  /** Keys of an account, without change notifications for other nodes. */
  keysOf(user: string): string[] {
    return this.database.keys.filter((key) => key.includes(user) && !key.startsWith('d/'));
  }
}
