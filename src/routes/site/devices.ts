import type { H3Event } from 'h3';
import { MAX_BODY } from '../../body-limits.ts';
import { MAX_DEVICES } from '../../domain/device.ts';
import { Refusal } from '../../domain/errors.ts';
import { DEVICE_TYPES } from '../../domain/types.ts';
import type { Form } from '../../http/form.ts';
import { readQuery } from '../../http/input.ts';
import type { Reply } from '../../http/reply.ts';
import { renderDevicePage, renderDevices } from '../../pages/devices.ts';
import type { Problems } from '../../pages/parts/form.ts';
import type { Services } from '../../services/services.ts';
import { ACCOUNT } from '../../services/sync/settings.ts';
import type { DeviceSummary, User } from '../../storage/stores.ts';
import type { Handler } from '../route.ts';
import { problemOf, type Site, UNCONFIRMED } from './site.ts';

/** For a form that selects devices: more fields than accepted devices, for a clear message. */
const LIMITS = { limit: MAX_BODY.devicesForm, maxFields: 2 * MAX_DEVICES };

/** By the parameter of a redirect. */
const NOTICES: ReadonlyMap<string, string> = new Map([
  ['saved', 'Device saved.'],
  ['removed', 'Device removed.'],
]);

type DeviceHandlers = 'all' | 'show' | 'save' | 'remove' | 'sync' | 'group';

/** The devices of an account: names, types, and which of them share subscriptions. */
export function createDevicePages(
  { devices, refusals, settings }: Pick<Services, 'devices' | 'refusals' | 'settings'>,
  site: Site,
): Record<DeviceHandlers, Handler> {
  const find = async (event: H3Event, user: User): Promise<DeviceSummary> => {
    const id = readQuery(event, 'id');
    const device = (await devices.all(user.id)).find((each) => each.id === id);
    if (!device) throw new Refusal('missing', 'you have no device with this id');
    return device;
  };

  const overview = async (event: H3Event, user: User, problems: Problems = {}): Promise<Reply> => {
    const all = await devices.all(user.id);
    const following = await devices.following(user.id);
    const isSynced = (await settings.get(user.id, ACCOUNT)).sync_devices === true;
    const refused = await refusals.all(user.id);
    const notice = NOTICES.get(readQuery(event, 'done') ?? '');
    const contents = { devices: all, following, isSynced, refusals: refused, notice, problems };
    return site.ownPage(event, ({ base }, csrf) => renderDevices({ base, csrf, ...contents }), problems);
  };

  const one = (event: H3Event, device: DeviceSummary, problems: Problems = {}): Promise<Reply> =>
    site.ownPage(event, ({ base }, csrf) => renderDevicePage({ base, csrf, device, problems }), problems);

  return {
    all: site.signedIn((event, user) => overview(event, user)),
    show: site.signedIn(async (event, user) => one(event, await find(event, user))),

    save: site.submitted(
      async (event, user, fields) => {
        const { caption, type } = Object.fromEntries(fields);
        await devices.save(user.id, (await find(event, user)).id, { caption, type });
        return site.redirect(event, '/devices?done=saved');
      },
      {
        onRefused: async (event, user, fields, error) =>
          one(event, entered(await find(event, user), fields), problemOf(error, 'caption')),
      },
    ),

    remove: site.submitted(async (event, user, fields) => {
      const device = await find(event, user);
      if (!fields.has('confirm')) return one(event, device, UNCONFIRMED);
      await devices.remove(user.id, device.id);
      return site.redirect(event, '/devices?done=removed');
    }),

    sync: site.submitted(async (event, user, fields) => {
      const set = { sync_devices: fields.get('sync') === 'on' };
      await settings.update(user.id, ACCOUNT, { set, remove: [] });
      return site.redirect(event, '/devices');
    }),

    group: site.submitted(async (event, user, fields) => {
      const ids = fields.all('device');
      const isLeaving = fields.get('do') === 'leave';
      if (ids.length < (isLeaving ? 1 : 2)) {
        return overview(event, user, { form: `choose at least ${isLeaving ? 'one device' : 'two devices'}` });
      }
      await devices.synchronize(user.id, isLeaving ? [] : [ids], isLeaving ? ids : []);
      return site.redirect(event, '/devices');
    }, LIMITS),
  };
}

/** The device with the name and type that were entered. */
const entered = (device: DeviceSummary, fields: Form): DeviceSummary => ({
  ...device,
  caption: fields.get('caption') ?? '',
  type: DEVICE_TYPES.find((type) => type === fields.get('type')) ?? device.type,
});
