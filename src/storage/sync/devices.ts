import { regroup } from '../../domain/group.ts';
import type { Device } from '../../domain/types.ts';
import { eachInSlices } from '../../slices.ts';
import type { Core } from '../core.ts';
import { prepareChange } from '../directory/account-changes.ts';
import { StorageError } from '../errors.ts';
import { type UrlDigest, urlDigest } from '../keys.ts';
import type { DeviceStore } from '../stores.ts';
import { NEW_DEVICE, toDevice } from './device-table.ts';
import { storeUpload, writeDevices } from './upload.ts';

export const createDeviceStore = (core: Core): DeviceStore => ({
  find: (user, id) => core.accounts.read(user, ['devices'], (_, { devices }) => devices.find(id)),

  all: (user) =>
    core.accounts.read(user, ['devices', 'subscriptions'], (_, { devices, subscriptions }) =>
      devices.rows.map(({ number, syncedAt, app = '', dialect = 'gpodder.net', ...row }) => ({
        ...toDevice(row),
        subscriptions: subscriptions.of(number).size,
        ...(syncedAt !== undefined && { syncedAt, app, dialect }),
      })),
    ),

  async save(user, id, patch) {
    let device!: Device;
    await storeUpload(core, user, (_, devices) => {
      device = { ...(devices.find(id) ?? { id, ...NEW_DEVICE }), ...patch };
      return { devices: [id], origin: id, patch };
    });
    return device;
  },

  touch: (user, id, activity) =>
    core.accounts.write(user, async (account) => {
      const before = await core.accounts.part(account, 'devices');
      if (!before.get(id)) return { result: false };
      return { result: true, write: await writeDevices(account, before, before.touched(id, activity)) };
    }),

  delete: (user, id) =>
    core.accounts.write(user, async (account) => {
      const before = await core.accounts.part(account, 'devices');
      const device = before.get(id);
      if (!device) return { result: false };
      const subscriptions = await core.accounts.part(account, 'subscriptions');
      const list = subscriptions.of(device.number);
      const unsubscribed: UrlDigest[] = [];
      await eachInSlices(list.current(), ({ url }) => {
        if (subscriptions.devicesOf(url) === 1) unsubscribed.push(urlDigest(url));
      });
      const write = await writeDevices(account, before, before.without(id));
      return {
        result: true,
        write: {
          ...write,
          parts: ['devices', 'subscriptions'],
          delete: [...write.delete, ...list.listKeys, ...list.logKeys],
          directory: await prepareChange(core.directory, user, { unsubscribed }),
          async apply() {
            write.apply();
            await subscriptions.remove(device.number);
          },
        },
      };
    }),

  groups: (user) => core.accounts.read(user, ['devices'], (_, { devices }) => devices.groups),

  async synchronize(user, join, leave) {
    let groups!: string[][];
    await storeUpload(core, user, (_, devices) => {
      const unknown = [...join.flat(), ...leave].find((id) => !devices.get(id));
      if (unknown !== undefined) throw new StorageError('missing', `the device ${unknown} does not exist`);
      ({ groups } = devices.grouped(regroup(devices.groups, join, leave)));
      return { devices: [], origin: undefined, groups };
    });
    return groups;
  },
});
