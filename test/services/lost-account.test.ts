import { expect, it } from 'vitest';
import { createAdministration } from '../../src/services/accounts/administration.ts';
import { migrate } from '../../src/services/transfer/migration.ts';
import { createTransfer } from '../../src/services/transfer/transfer.ts';
import type { NewUser, Storage } from '../../src/storage/stores.ts';
import { Cluster } from '../storage/nodes.ts';
import { addUser } from '../storage/suite/samples.ts';

/* Someone has deleted the data of alice, but not her name. */

const LOST = {
  code: 'missing',
  message: expect.stringMatching(/^the data of the account alice is missing; .*user remove NAME/),
};

async function openDamaged(details: Partial<NewUser> = {}): Promise<Storage> {
  const cluster = new Cluster();
  const { storage } = await cluster.open(false);
  const { id: alice } = await storage.users.create({ name: 'alice', passwordHash: 'hash', ...details });
  await addUser(storage, 'bob');
  await storage.close();
  for (const key of cluster.keysOf(alice)) cluster.database.entries.delete(key);
  return (await cluster.open(false)).storage;
}

it('no backup of everything is written without it, as it would replace one that has it', async () => {
  const transfer = createTransfer(await openDamaged(), () => 0);
  await expect(transfer.export({ users: [], passwords: true })).rejects.toMatchObject(LOST);
});

it('nothing is migrated without it', async () => {
  const target = (await new Cluster().open(false)).storage;
  const options = { progress: () => undefined, signal: new AbortController().signal };
  await expect(migrate(await openDamaged(), target, options)).rejects.toMatchObject(LOST);
  expect(await target.users.hasAny()).toBe(false);
});

it('it is named as it can be typed', async () => {
  const storage = await openDamaged({ name: 'pod+alice', email: 'alice@x.example' });
  const missing = 'accounts whose data is missing: alice@x.example, pod+alice;';
  await expect(storage.verify()).rejects.toThrow(missing);
  const damaged: string[] = [];
  expect(await storage.users.all((login) => void damaged.push(login))).toMatchObject([{ name: 'bob' }]);
  expect(damaged).toEqual(['alice@x.example']);
});

it('the other accounts are listed, and it is reported', async () => {
  const none = { all: async () => [], endAll: async () => 0 };
  const administration = createAdministration(await openDamaged(), { hash: async () => '' }, none, none);
  const names: string[] = [];
  const damaged: unknown[] = [];
  for await (const { user } of administration.list((...damage) => void damaged.push(damage))) names.push(user.name);
  expect({ names, damaged }).toEqual({ names: ['bob'], damaged: [['alice', expect.objectContaining(LOST)]] });
});
