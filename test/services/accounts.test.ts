import { expect, it, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { openTestServer, type TestServer } from '../server.ts';

const ACCOUNT = { name: 'bob', password: 'secret' };

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
  const from = { address: '192.0.2.1', isShared: false, ip: '192.0.2.1' };
  expect(await services.accounts.login(email, 'secret', from)).toMatchObject({ name: 'bob' });
});
