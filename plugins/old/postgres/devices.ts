import { type Device, type DeviceStore, type DeviceSummary, regroup } from '../../../src/old-plugin.ts';
import { noSuchDevice } from '../errors.ts';
import type { Database } from './database.ts';
import type { Devices } from './device-table.ts';
import type { Stamps } from './stamps.ts';
import type { SubscriptionTable } from './subscription-table.ts';
import type { StoreUpload } from './upload.ts';

export function createDeviceStore(
  database: Database,
  stamps: Stamps,
  devices: Devices,
  subscriptions: SubscriptionTable,
  upload: StoreUpload,
): DeviceStore {
  const find = database.prepare<Device>('SELECT id, caption, type FROM devices WHERE user_id = @user AND id = @id');
  const all = database.prepare<DeviceSummary>(
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
    find: (user, id) => database.read((connection) => find.get(connection, { user, id })),

    all: (user) => database.read((connection) => all.all(connection, { user })),

    save: (user, id, patch) =>
      database.writeFor(user, async (connection) => {
        await upload(connection, { user, devices: [id], origin: id }, async () => false);
        const device = { ...(await find.get(connection, { user, id }))!, ...patch };
        await update.run(connection, { user, id, caption: device.caption, type: device.type });
        return device;
      }),

    groups: (user) => database.read((connection) => devices.groups(connection, user)),

    synchronize: (user, join, leave) =>
      database.writeFor(user, async (connection) => {
        await stamps.lockUser(connection, user);
        if (!(await devices.hasAll(connection, user, [...join.flat(), ...leave]))) throw noSuchDevice();
        const groups = regroup(await devices.groups(connection, user), join, leave);
        await devices.setGroups(connection, user, groups);
        await upload(connection, { user, devices: [], origin: undefined }, (order) =>
          subscriptions.unite(connection, user, groups, order),
        );
        return groups;
      }),
  };
}
