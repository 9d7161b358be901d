import { randomUUID } from 'node:crypto';
import { compareText, type User, type UserId, type UserStore } from '../../../src/old-plugin.ts';
import { loginTaken } from '../errors.ts';
import type { Database } from './database.ts';
import type { Registry } from './registry.ts';

export const createUserStore = (database: Database): UserStore => ({
  create: ({ name, email, passwordHash }) =>
    database.inLine('registry', async () => {
      refuseTaken(database.registry, { name, email });
      const user: User = {
        id: randomUUID() as UserId,
        name,
        ...(email !== undefined && { email }),
        passwordHash,
        createdAt: database.context.now(),
      };
      return database.arriving(user.id, async () => {
        await database.accounts.create(user);
        await database.write({ registry: [{ kind: 'user', user }] });
        return user;
      });
    }),

  find: async (login) => database.registry.find(login),

  setPassword: (id, passwordHash) =>
    database.inLine('registry', async () => {
      const user = database.registry.user(id);
      await database.write({
        registry: [
          { kind: 'user', user: { ...user, passwordHash } },
          { kind: 'end-sessions', user: id },
        ],
      });
    }),

  rename: (id, name) =>
    database.inLine('registry', async () => {
      const user = database.registry.user(id);
      const holder = database.registry.find(name);
      if (holder && holder.id !== id) throw loginTaken('name');
      await database.write({ registry: [{ kind: 'user', user: { ...user, name } }] });
    }),

  delete: (id) =>
    database.inLine('registry', () =>
      database.inLine(id, async () => {
        if (!database.registry.users.has(id)) return;
        await database.write({ registry: [{ kind: 'remove-user', user: id }] });
        await database.removeAccount(id);
      }),
    ),

  async settledAt(user) {
    database.requireJournal();
    return (await database.account(user)).settledAt(database.context.now());
  },

  async *all() {
    const users = [...database.registry.users.values()];
    yield* users.toSorted((a, b) => compareText(a.name, b.name));
  },
});

/** Throws `conflict` when another account has the name or the e-mail address. */
export function refuseTaken(registry: Registry, { name, email }: { name: string; email?: string | undefined }): void {
  if (registry.find(name)) throw loginTaken('name');
  if (email !== undefined && registry.find(email)) throw loginTaken('e-mail address');
}
