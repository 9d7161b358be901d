import { WEB_DEVICE } from '../../domain/device.ts';
import type { UserId } from '../../domain/types.ts';
import type { DeviceStore } from '../../storage/stores.ts';

/** Makes the browser a device of the account, unless it is one: a name that the account has given it stays. */
export async function registerWebDevice(devices: Pick<DeviceStore, 'find' | 'save'>, user: UserId): Promise<void> {
  const { id, ...details } = WEB_DEVICE;
  if (!(await devices.find(user, id))) await devices.save(user, id, details);
}
