import type { Device, DeviceType } from '../../domain/types.ts';
import { renderSelect } from './form.ts';
import type { Markup } from './markup.ts';

/** The name that the owner gave it, otherwise its id. */
export const deviceName = ({ id, caption }: Pick<Device, 'id' | 'caption'>): string => caption || id;

export const DEVICE_TYPE_NAMES: Record<DeviceType, string> = {
  desktop: 'Desktop',
  laptop: 'Laptop',
  mobile: 'Mobile',
  server: 'Server',
  other: 'Other',
};

interface DeviceChoice {
  devices: readonly Device[];
  id?: string;
  value?: string | undefined;
  problem?: string | undefined;
}

/** A choice of devices, all devices first: few podcasts are wanted on only one. Undefined if there is only one device. */
export function renderDeviceChoice({ devices, value = '', ...field }: DeviceChoice): Markup | undefined {
  if (devices.length < 2 && field.problem === undefined) return undefined;
  const options = [['', 'All devices'] as const, ...devices.map((each) => [each.id, deviceName(each)] as const)];
  return renderSelect({ name: 'device', label: 'Device', options, value, ...field });
}
