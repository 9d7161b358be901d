import { LRUCache } from 'lru-cache';
import type { Stamp, UserId } from '../../domain/types.ts';
import { KeyedMutex } from '../../mutex.ts';
import type { ActionStore } from '../../storage/stores.ts';
import { ActionTable } from './action-table.ts';

/** Approximate bytes of cached histories. The most recent one stays, however large it is. */
const MAX_BYTES = 48 * 1024 * 1024;

/** The episode actions of accounts, for the pages Home, History and Statistics. */
export interface ActionCache {
  /**
   * All actions of the account up to now. The first call reads all of them, in pages with turns of the event loop in
   * between; later calls read only new uploads, from any process. The table keeps growing: read everything that belongs
   * together without waiting in between. Rejects with `missing` if the account does not exist.
   */
  read(user: UserId): Promise<ActionTable>;
}

export function createActionCache(actions: Pick<ActionStore, 'query'>, maxBytes = MAX_BYTES): ActionCache {
  const known = new LRUCache<UserId, { table: ActionTable; mark: Stamp }>({
    maxSize: maxBytes,
    sizeCalculation: ({ table }) => Math.min(table.bytes, maxBytes),
  });
  const mutex = new KeyedMutex<UserId>();

  return {
    read: (user) =>
      mutex.run(user, async () => {
        const { table, mark: since } = known.get(user) ?? { table: new ActionTable(), mark: 0 };
        known.delete(user); // a partially read table is useless
        const { pages, mark } = await actions.query(user, { since });
        for await (const page of pages) table.add(page);
        known.set(user, { table, mark });
        return table;
      }),
  };
}
