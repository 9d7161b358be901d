import { LRUCache } from 'lru-cache';
import type { Stamp, UserId } from '../../domain/types.ts';
import type { ActionStore } from '../../storage/stores.ts';
import { Turns } from '../../turns.ts';
import { ActionTable } from './action-table.ts';

/** Bytes of histories that stay in memory, about. The last one stays however large it is. */
const IN_MEMORY = 48 * 1024 * 1024;

/** What an account has listened to: everything that Home, History and Statistics show. */
export interface ActionCache {
  /**
   * All actions of the account up to now. They are read once, in pages with turns of the event loop between them; after
   * that only what was uploaded since, by whichever process. The table goes on: what is shown together must be read from
   * it without waiting in between. Rejects with `missing` where there is no such account.
   */
  read(user: UserId): Promise<ActionTable>;
}

export function createActionCache(actions: Pick<ActionStore, 'query'>, maxBytes = IN_MEMORY): ActionCache {
  const known = new LRUCache<UserId, { table: ActionTable; mark: Stamp }>({
    maxSize: maxBytes,
    sizeCalculation: ({ table }) => Math.min(table.bytes, maxBytes),
  });
  const turns = new Turns<UserId>();

  return {
    read: (user) =>
      turns.take(user, async () => {
        const { table, mark: since } = known.get(user) ?? { table: new ActionTable(), mark: 0 };
        known.delete(user); // one that was read in part is of no use
        const { pages, mark } = await actions.query(user, { since });
        for await (const page of pages) table.add(page);
        known.set(user, { table, mark });
        return table;
      }),
  };
}
