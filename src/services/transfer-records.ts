import { Refusal } from '../domain/errors.ts';
import type { Storage, User, UserRecord } from '../storage/contract.ts';
import { isStorageError } from '../storage/errors.ts';

/** Whole accounts, in the order given. One that is removed before its turn is passed over. */
export async function* exportAccounts(
  { transfer }: Pick<Storage, 'transfer'>,
  users: readonly User[],
): AsyncIterable<UserRecord[]> {
  for (const { id, name } of users) {
    let isBegun = false;
    try {
      for await (const page of transfer.exportUser(id)) {
        isBegun = true;
        yield page;
      }
    } catch (error) {
      if (!isStorageError(error, 'missing')) throw error;
      if (isBegun) throw new Refusal('missing', `the account ${name} was removed while it was read; run this again`);
    }
  }
}
