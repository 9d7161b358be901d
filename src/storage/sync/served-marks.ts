import type { UserId } from '../../domain/types.ts';
import { servedMarksKey } from '../accounts/account-keys.ts';
import type { Core } from '../core.ts';
import type { Served, ServedMark, ServedMarkStore } from '../stores.ts';
import { readValue } from '../values.ts';

/** Both marks of a device, stored together. */
type StoredMarks = Partial<Record<Served, ServedMark>>;

export function createServedMarkStore({ store, accounts }: Core): ServedMarkStore {
  const read = (user: UserId, device: string) => readValue<StoredMarks>(store, servedMarksKey(user, device));
  return {
    find: async (user, device, served) => (await read(user, device))?.[served],
    save: (user, device, served, mark) =>
      accounts.write(user, async () => {
        const marks: StoredMarks = { ...(await read(user, device)), [served]: mark };
        return { result: undefined, write: { set: [[servedMarksKey(user, device), JSON.stringify(marks)]] } };
      }),
  };
}
