import { readObject, readOptionalObject } from '../http/body.ts';
import { readParam, toArray, toStringArray } from '../http/input.ts';
import { EMPTY, json } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { Following } from '../services/sync/devices.ts';
import type { Handler, RouteContext } from './route.ts';

/** Devices (spec 4.5), and which of them follow each other. */
export function createDeviceRoutes(
  { devices }: Pick<Services, 'devices'>,
  { identity, bodyOptions }: RouteContext,
): Record<'all' | 'save' | 'following' | 'synchronize', Handler> {
  return {
    async all(event) {
      const user = await identity.owner(event);
      const all = await devices.all(user.id);
      return json(all.map(({ id, caption, type, subscriptions }) => ({ id, caption, type, subscriptions })));
    },

    async save(event) {
      const user = await identity.owner(event);
      const body = await readOptionalObject(event, bodyOptions(user.id));
      await devices.save(user.id, readParam(event, 'device'), body);
      return EMPTY;
    },

    async following(event) {
      const user = await identity.owner(event);
      return json(toWire(await devices.following(user.id)));
    },

    async synchronize(event) {
      const user = await identity.owner(event);
      const body = await readObject(event, bodyOptions(user.id));
      const leave = toStringArray(body['stop-synchronize'], 'stop-synchronize');
      return json(toWire(await devices.synchronize(user.id, readGroups(body.synchronize), leave)));
    },
  };
}

const toWire = ({ groups, alone }: Following): object => ({ synchronized: groups, 'not-synchronized': alone });

const readGroups = (value: unknown): string[][] =>
  toArray(value, 'synchronize', 'arrays of device ids').map((group, index) =>
    toStringArray(group, `synchronize[${index}]`),
  );
