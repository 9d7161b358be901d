import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createAdministration } from '../../src/services/accounts/administration.ts';
import { Cluster } from '../storage/nodes.ts';
import { addUser } from '../storage/suite/samples.ts';

it('reads several accounts at once for the list, but not all of them, and lists them by name', async () => {
  const { storage } = await new Cluster().open(false);
  const names = Array.from({ length: 50 }, (_, n) => `user${n + 10}`);
  for (const name of names.toReversed()) await addUser(storage, name);
  let [reading, most] = [0, 0];
  const appPasswords = {
    async all() {
      reading += 1;
      most = Math.max(most, reading);
      await setImmediate();
      reading -= 1;
      return [];
    },
  };
  const administration = createAdministration(storage, { hash: async () => '' }, { all: async () => [] }, appPasswords);
  const listed = [];
  for await (const { user } of administration.list(() => undefined)) listed.push(user.name);
  expect(listed).toEqual(names);
  expect(most).toBeGreaterThan(5);
  expect(most).toBeLessThan(50);
});
