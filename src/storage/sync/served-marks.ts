import type { UserId } from '../../domain/types.ts';
import { servedMarksKey } from '../accounts/account-keys.ts';
import type { Core } from '../accounts/core.ts';
import type { Served, ServedMark, ServedMarkStore } from '../stores.ts';

/** Both marks of a device, stored together. */
type StoredMarks = Partial<Record<Served, ServedMark>>;

export function createServedMarkStore({ store, accounts }: Core): ServedMarkStore {
  const read = async (user: UserId, device: string): Promise<StoredMarks> => {
    const [entry] = await store.get([servedMarksKey(user, device)]);
    return entry ? (JSON.parse(entry.value) as StoredMarks) : {};
  };
  return {
    find: async (user, device, served) => (await read(user, device))[served],
    save: (user, device, served, mark) =>
      accounts.write(user, async () => {
        const marks: StoredMarks = { ...(await read(user, device)), [served]: mark };
        return { result: undefined, write: { set: [[servedMarksKey(user, device), JSON.stringify(marks)]] } };
      }),
  };
}
