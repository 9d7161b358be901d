import { deviceName } from '../../domain/device.ts';
import type { Device, DeviceType } from '../../domain/types.ts';
import type { DeviceSummary } from '../../storage/stores.ts';
import { renderFacts } from './components.ts';
import { renderSelect } from './form.ts';
import { devicePage } from './links.ts';
import { type Markup, markup } from './markup.ts';
import { renderTime } from './time.ts';

export const DEVICE_TYPE_NAMES: Record<DeviceType, string> = {
  desktop: 'Desktop',
  laptop: 'Laptop',
  mobile: 'Mobile',
  server: 'Server',
  other: 'Other',
};

/** A device in a list: its facts below its name, and when it last synced. */
export const renderDeviceItem = (
  base: string,
  device: DeviceSummary,
  facts: readonly (string | undefined)[],
  more?: Markup,
): Markup => markup`<li><div><bdi><a href="${devicePage(base, device.id)}">${deviceName(device)}</a></bdi>
<div class="soft">${renderFacts(facts)}</div>
${more}</div>
<span class="soft">${device.syncedAt === undefined ? 'No sync recorded' : markup`Last sync ${renderTime(device.syncedAt)}`}</span></li>
`;

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
