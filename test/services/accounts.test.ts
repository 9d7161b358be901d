import { expect, it, vi } from 'vitest';
import { DUMMY_HASH } from '../../src/services/accounts/hasher.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { openTestServer, quickHasher, type TestServer } from '../server.ts';

const ACCOUNT = { name: 'bob', password: 'secret' };
const FROM = { address: '192.0.2.1', isShared: false, ip: '192.0.2.1' };

const settings = ({ storage }: TestServer, id: Parameters<TestServer['storage']['settings']['get']>[0]) =>
  storage.settings.get(id, { kind: 'account' });

it('creates an account and its settings in one step: no account ever lacks them', async () => {
  const server = await openTestServer({ syncDevices: true, users: [] });
  vi.spyOn(server.storage.settings, 'update').mockRejectedValue(new StorageError('full', 'the disk is full'));
  const { id } = await server.services.accounts.create({ ...ACCOUNT, isPrivate: true });
  expect(await settings(server, id)).toEqual({ sync_devices: true, public_subscriptions: false });
});

it('uses the defaults of the server unless an account chooses otherwise', async () => {
  for (const [syncDevices, choice, expected] of [
    [false, {}, {}],
    [true, {}, { sync_devices: true }],
    [true, { syncDevices: false, isPrivate: false }, {}],
    [false, { syncDevices: true }, { sync_devices: true }],
  ] as const) {
    const server = await openTestServer({ syncDevices, users: [] });
    const { id } = await server.services.accounts.create({ ...ACCOUNT, ...choice });
    expect(await settings(server, id)).toEqual(expected);
  }
});

it('accepts the longest e-mail address as a login', async () => {
  const { services } = await openTestServer({ users: [] });
  const email = `${'a'.repeat(64)}@${'b'.repeat(181)}.org`;
  await services.accounts.create({ ...ACCOUNT, email });
  expect(await services.accounts.login(email, 'secret', FROM)).toMatchObject({ name: 'bob' });
});

it('refuses the old password at once, even if it was right a moment ago', async () => {
  const { services } = await openTestServer();
  expect(await services.accounts.login('bob', 'secret', FROM)).toMatchObject({ name: 'bob' });
  await services.administration.setPassword('bob', 'another');
  await expect(services.accounts.login('bob', 'secret', FROM)).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('refuses a password that only begins with the right one, though bcrypt reads no more than 72 bytes', async () => {
  const hasher = {
    ...quickHasher,
    compare: (text: string, known: string) => quickHasher.compare(text.slice(0, 72), known),
  };
  const { services } = await openTestServer({ hasher });
  const password = 'x'.repeat(72);
  await services.administration.setPassword('bob', password);
  expect(await services.accounts.login('bob', password, FROM)).toMatchObject({ name: 'bob' });
  await expect(services.accounts.login('bob', `${password}x`, FROM)).rejects.toMatchObject({ code: 'unauthenticated' });
});

it('compares a hash also for an unknown name, so that the time reveals no account', async () => {
  const compare = vi.fn(quickHasher.compare);
  const { services } = await openTestServer({ hasher: { ...quickHasher, compare } });
  await expect(services.accounts.login('nobody', 'secret', FROM)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(compare.mock.calls).toEqual([['secret', DUMMY_HASH]]);
});
