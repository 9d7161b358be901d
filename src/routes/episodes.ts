import { formatPosition } from '../domain/position.ts';
import type { EpisodeAction } from '../domain/types.ts';
import { readArray } from '../http/body.ts';
import { isPull, readApp, readBoolean, readQuery, readSince } from '../http/input.ts';
import { jsonStream } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { Handler, RouteContext } from './route.ts';
import { uploadReply } from './upload-reply.ts';
import { toActionObject, type WireAction, writeActions } from './wire-objects.ts';

/** For both versions: they differ in the format of an action, and in the meaning of `device` in a query. */
export function createEpisodeRoutes(
  { episodes, devices }: Pick<Services, 'episodes' | 'devices'>,
  { identity, bodyOptions }: RouteContext,
  version: 1 | 2,
): Record<'query' | 'upload', Handler> {
  const deviceFilter = version === 1 ? 'subscribedOn' : 'device';
  const toWire = version === 1 ? toVersion1 : toActionObject;
  return {
    async query(event) {
      const user = await identity.owner(event);
      const podcast = readQuery(event, 'podcast');
      const device = readQuery(event, 'device');
      const { pages, mark } = await episodes.query(user.id, {
        since: readSince(event),
        latest: readBoolean(event, 'aggregated'),
        asStored: isPull(event),
        ...(podcast && { podcast }),
        ...(device && { [deviceFilter]: device }),
      });
      return jsonStream(writeActions(pages, mark, toWire));
    },

    async upload(event) {
      const user = await identity.owner(event);
      const actions = await readArray(event, bodyOptions(user.id), 'episode actions');
      const { device, ...stored } = await episodes.upload(user.id, actions, version);
      if (device !== undefined) await devices.touch(user.id, device, readApp(event));
      return uploadReply(stored);
    },
  };
}

/** Version 1 has only the position, written as `hh:mm:ss` (spec 4.9). */
function toVersion1({ play, ...action }: EpisodeAction): WireAction {
  return { ...toActionObject(action), ...(play && { position: formatPosition(play.position) }) };
}
