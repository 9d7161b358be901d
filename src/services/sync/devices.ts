import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { parseCaption, parseDeviceId, checkDeviceCount, deviceNames, WEB_DEVICE } from '../../domain/device.ts';
import { invalid, Refusal } from '../../domain/errors.ts';
import { DEVICE_TYPES, type Dialect, type Seconds, type UserId } from '../../domain/types.ts';
import { atMost } from '../../lru.ts';
import { isStorageError } from '../../storage/errors.ts';
import type { Activity, DeviceStore, DeviceSummary, Storage } from '../../storage/stores.ts';
import { cutAppName, storedAppName } from './app-name.ts';

/** How often the last sync of a device is stored. */
const TOUCHED_EVERY: Seconds = 3600;

export interface Devices {
  /** In the order created (spec 2.5). */
  all(user: UserId): Promise<DeviceSummary[]>;
  /** The name of each device by its id: the one that its owner gave it, otherwise the id. */
  names(user: UserId): Promise<ReadonlyMap<string, string>>;
  /** Creates the device, or changes only the given fields (spec 4.5). Throws `invalid`. */
  save(user: UserId, device: string, patch: { caption?: unknown; type?: unknown }): Promise<void>;
  /** Records that an app synced a device: when and, unless the account setting `store_user_agent` is false, which app. */
  touch(user: UserId, device: string, userAgent: string, dialect?: Dialect): Promise<void>;
  /** Lets a device follow all others; creates it with this caption if it is new. */
  follow(user: UserId, device: string, caption: string): Promise<void>;
  /** Deletes a device and its list. Throws `missing` for an unknown one. */
  remove(user: UserId, device: string): Promise<void>;
  /** Which devices follow each other, in the order created. */
  following(user: UserId): Promise<Following>;
  /**
   * Lets the devices of each group in `join` follow each other: all receive the union of their lists, and from then on a
   * change on one is a change on all. Those in `leave` keep their lists and stop following. Throws `invalid` for a group
   * of fewer than two and for a device in both, `too-large` for more devices than one request may name, and `conflict` if
   * the account setting `sync_devices` forbids leaving; rejects with `missing` if a device is unknown.
   */
  synchronize(user: UserId, join: readonly (readonly string[])[], leave: readonly string[]): Promise<Following>;
}

export interface Following {
  groups: string[][];
  /** Devices in no group. */
  alone: string[];
}

export const createDevices = ({ devices, settings }: Pick<Storage, 'devices' | 'settings'>, now: Clock): Devices => {
  /** Recently stored activity: a device that syncs every minute costs one write an hour. */
  const touched = new LRUCache<string, Activity>(atMost(10_000));

  return {
    all: (user) => devices.all(user),

    names: async (user) => deviceNames(await devices.all(user)),

    async save(user, device, { caption, type }) {
      const id = parseDeviceId(device);
      const known = DEVICE_TYPES.find((each) => each === type);
      if (type !== undefined && !known) throw invalid(`"type" must be one of ${DEVICE_TYPES.join(', ')}`);
      await devices.save(user, id, {
        ...(caption !== undefined && { caption: parseCaption(caption) }),
        ...(known && { type: known }),
      });
    },

    async touch(user, device, userAgent, dialect = 'gpodder.net') {
      const app = cutAppName(userAgent);
      const known = `${user} ${device}`;
      const latest = touched.get(known);
      if (latest?.app === app && latest.syncedAt + TOUCHED_EVERY > now()) return;
      try {
        const activity = { syncedAt: now(), app: await storedAppName(settings, user, app), dialect };
        if (await devices.touch(user, device, activity)) touched.set(known, { ...activity, app });
      } catch (error) {
        if (!isStorageError(error)) throw error; // a sync succeeds even if its time cannot be stored
      }
    },

    async follow(user, device, caption) {
      const known = await devices.find(user, device);
      if (known?.followsAll) return;
      await devices.save(user, device, { followsAll: true, ...(!known && { caption }) });
    },

    async remove(user, device) {
      if (!(await devices.delete(user, device))) throw new Refusal('missing', 'there is no device with this id');
      touched.delete(`${user} ${device}`);
    },

    following: async (user) => toFollowing(await devices.groups(user), await devices.all(user)),

    async synchronize(user, join, leave) {
      const joining = new Set(join.flat());
      const named = [...joining, ...leave];
      checkDeviceCount(named);
      for (const id of named) parseDeviceId(id);
      if (join.some((group) => new Set(group).size < 2)) throw invalid('a group needs at least two devices');
      if (leave.some((id) => joining.has(id))) throw invalid('a device cannot both join and leave');
      if (leave.length > 0 && (await settings.get(user, { kind: 'account' })).sync_devices === true) {
        throw new Refusal(
          'conflict',
          'the account setting sync_devices keeps all devices together; set it to false first',
        );
      }
      return toFollowing(await devices.synchronize(user, join, leave), await devices.all(user));
    },
  };
};

function toFollowing(groups: string[][], devices: readonly DeviceSummary[]): Following {
  const grouped = new Set(groups.flat());
  return { groups, alone: devices.map(({ id }) => id).filter((id) => !grouped.has(id)) };
}

/** Registers the browser as a device of the account. If it exists, it keeps the name that the user gave it. */
export async function registerWebDevice(devices: Pick<DeviceStore, 'find' | 'save'>, user: UserId): Promise<void> {
  const { id, ...details } = WEB_DEVICE;
  if (!(await devices.find(user, id))) await devices.save(user, id, details);
}
