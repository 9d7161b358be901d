import type { UserId } from '../../domain/types.ts';
import type { Core } from '../core.ts';
import type { RefusalStore, RefusedRequest } from '../stores.ts';
import { readValue } from '../values.ts';
import { refusalsKey } from './account-keys.ts';

const MAX_REFUSALS = 20;

export function createRefusalStore({ store, accounts }: Core): RefusalStore {
  const all = async (user: UserId): Promise<RefusedRequest[]> => (await readValue(store, refusalsKey(user))) ?? [];
  return {
    all,
    add: (user, refused) =>
      accounts.write(user, async () => {
        const newest = [refused, ...(await all(user))].slice(0, MAX_REFUSALS);
        return { result: undefined, write: { set: [[refusalsKey(user), JSON.stringify(newest)]] } };
      }),
  };
}
