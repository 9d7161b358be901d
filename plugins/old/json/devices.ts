import { type Device, type DeviceStore, regroup } from '../../../src/old-plugin.ts';
import { noSuchDevice } from '../errors.ts';
import { NEW_DEVICE } from './account.ts';
import type { Database } from './database.ts';
import { upload } from './upload.ts';

export const createDeviceStore = (database: Database): DeviceStore => ({
  find: async (user, id) => (await database.account(user)).devices.get(id),

  async all(user) {
    const account = await database.account(user);
    return [...account.devices.values()].map((device) => ({
      ...device,
      subscriptions: account.list(device.id).size,
    }));
  },

  async save(user, id, patch) {
    let device!: Device;
    await upload(database, user, ({ devices }) => {
      device = { ...(devices.get(id) ?? { id, ...NEW_DEVICE }), ...patch };
      return { devices: [id], origin: id, changes: [], besides: [{ kind: 'device', device }] };
    });
    return device;
  },

  groups: async (user) => (await database.account(user)).groups,

  async synchronize(user, join, leave) {
    let groups!: string[][];
    await upload(database, user, (account) => {
      if (![...join.flat(), ...leave].every((id) => account.devices.has(id))) throw noSuchDevice();
      groups = regroup(account.groups, join, leave);
      return { devices: [], origin: undefined, changes: account.unite(groups), besides: [{ kind: 'groups', groups }] };
    });
    return groups;
  },
});
