import { type Device, type DeviceStore, type DeviceType, regroup } from '../../../src/old-plugin.ts';
import { noSuchDevice } from '../errors.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import type { SubscriptionTable } from './subscription-table.ts';
import { fromColumn, toColumn } from './text.ts';
import type { StoreUpload } from './upload.ts';

export interface DeviceRow {
  id: string;
  caption: string | Buffer;
  type: DeviceType;
}

export function createDeviceStore(
  database: Database,
  devices: Devices,
  subscriptions: SubscriptionTable,
  upload: StoreUpload,
): DeviceStore {
  const find = database.prepare<DeviceRow>('SELECT id, caption, type FROM devices WHERE user_id = @user AND id = @id');
  const all = database.prepare<DeviceRow & { subscriptions: number }>(
    `SELECT id, caption, type, (
       SELECT count(*) FROM subscriptions
       WHERE subscriptions.user_id = @user AND device = devices.id AND subscribed
     ) AS subscriptions
     FROM devices WHERE user_id = @user ORDER BY place`,
  );
  const update = database.prepare(
    'UPDATE devices SET caption = @caption, type = @type WHERE user_id = @user AND id = @id',
  );

  return {
    find: (user, id) =>
      database.read(() => {
        const row = find.get({ user, id });
        return row && toDevice(row);
      }),

    all: (user) =>
      database.read(() => all.all({ user }).map((row) => ({ ...toDevice(row), subscriptions: row.subscriptions }))),

    save: (user, id, patch) =>
      database.write(() => {
        upload({ user, devices: [id], origin: id }, () => false);
        const device = { ...toDevice(find.get({ user, id })!), ...patch };
        update.run({ user, id, caption: toColumn(device.caption), type: device.type });
        return device;
      }),

    groups: (user) => database.read(() => devices.groups(user)),

    synchronize: (user, join, leave) =>
      database.write(() => {
        database.requireUser(user);
        if (![...join.flat(), ...leave].every((id) => devices.has(user, id))) throw noSuchDevice();
        const groups = regroup(devices.groups(user), join, leave);
        devices.setGroups(user, groups);
        upload({ user, devices: [], origin: undefined }, (order) => subscriptions.unite(user, groups, order));
        return groups;
      }),
  };
}

/** A device as the contract has it. */
export const toDevice = ({ id, caption, type }: DeviceRow): Device => ({ id, caption: fromColumn(caption), type });
