import { regroup, StorageError } from 'podsync/old-plugin';
import { upload } from './upload.js';

/** @import { DeviceStore, OpenContext } from 'podsync/old-plugin' */
/** @import { Data } from './data.js' */

/** @type {(data: Data, context: OpenContext) => DeviceStore} */
export const createDeviceStore = (data, context) => ({
  async find(user, id) {
    return data.account(user).devices.get(id);
  },

  async all(user) {
    const account = data.account(user);
    const devices = [...account.devices.values()];
    return devices.map((device) => ({ ...device, subscriptions: account.subscribed([device.id]).length }));
  },

  async save(user, id, patch) {
    const account = data.account(user);
    upload(account, context, { devices: [id], origin: id }, () => false);
    const device = { .../** @type {import('podsync/old-plugin').Device} */ (account.devices.get(id)), ...patch };
    account.devices.set(id, device);
    return device;
  },

  async groups(user) {
    return data.account(user).groups;
  },

  async synchronize(user, join, leave) {
    const account = data.account(user);
    if (![...join.flat(), ...leave].every((id) => account.devices.has(id))) {
      throw new StorageError('missing', 'there is no device with one of these ids');
    }
    account.groups = regroup(account.groups, join, leave);
    upload(account, context, { devices: [], origin: undefined }, (stamp) => account.unite(stamp));
    return account.groups;
  },
});
