import { randomUUID } from 'node:crypto';
import { compareText, StorageError } from 'podsync/old-plugin';
import { Account } from './account.js';

/** @import { OpenContext, User, UserId, UserStore } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

/** @type {(data: Data, context: OpenContext) => UserStore} */
export function createUserStore(data, { now }) {
  return {
    async create(newUser) {
      data.refuseTaken(newUser);
      /** @type {User} */
      const user = { ...newUser, id: /** @type {UserId} */ (randomUUID()), createdAt: now() };
      data.accounts.set(user.id, new Account(user));
      return user;
    },

    async find(login) {
      return data.findUser(login);
    },

    async setPassword(id, passwordHash) {
      const account = data.account(id);
      account.user = { ...account.user, passwordHash };
      data.endSessions(id);
    },

    async rename(id, name) {
      const account = data.account(id);
      const holder = data.findUser(name);
      if (holder && holder.id !== id) throw new StorageError('conflict', 'an account with this name exists already');
      account.user = { ...account.user, name };
    },

    async delete(id) {
      data.accounts.delete(id);
      data.endSessions(id);
    },

    async settledAt() {
      return now();
    },

    async *all() {
      yield* data.users().toSorted((a, b) => compareText(a.name, b.name));
    },
  };
}
