import { regroup } from '../domain/group.ts';
import type { Device } from '../domain/types.ts';
import type { Core } from './core.ts';
import { NEW_DEVICE, toDevice } from './device-table.ts';
import { noSuchDevice } from './failures.ts';
import type { DeviceStore } from './stores.ts';
import { storeUpload } from './upload.ts';

export const createDeviceStore = (core: Core): DeviceStore => ({
  find: (user, id) => core.accounts.read(user, ['devices'], (_, { devices }) => devices.find(id)),

  all: (user) =>
    core.accounts.read(user, ['devices', 'subscriptions'], (_, { devices, subscriptions }) =>
      devices.rows.map((row) => ({ ...toDevice(row), subscriptions: subscriptions.of(row.number).size })),
    ),

  async save(user, id, patch) {
    let device!: Device;
    await storeUpload(core, user, (_, devices) => {
      device = { ...(devices.find(id) ?? { id, ...NEW_DEVICE }), ...patch };
      return { devices: [id], origin: id, patch };
    });
    return device;
  },

  groups: (user) => core.accounts.read(user, ['devices'], (_, { devices }) => devices.groups),

  async synchronize(user, join, leave) {
    let groups!: string[][];
    await storeUpload(core, user, (_, devices) => {
      if (![...join.flat(), ...leave].every((id) => devices.get(id))) throw noSuchDevice();
      groups = regroup(devices.groups, join, leave);
      return { devices: [], origin: undefined, groups };
    });
    return groups;
  },
});
