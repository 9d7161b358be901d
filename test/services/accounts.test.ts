import { expect, it, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { openTestServer } from '../server.ts';

it('an account that cannot be made whole is not there, and can be made later', async () => {
  const { services, storage } = await openTestServer({ syncDevices: true, users: [] });
  const account = { name: 'bob', password: 'secret' };
  vi.spyOn(storage.settings, 'update').mockRejectedValueOnce(new StorageError('full', 'the disk is full'));
  await expect(services.accounts.create(account)).rejects.toThrow('the disk is full');
  expect(await services.accounts.any()).toBe(false);
  expect(await services.accounts.create(account)).toMatchObject({ name: 'bob' });
});
