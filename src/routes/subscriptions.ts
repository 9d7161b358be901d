import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import type { PodcastEntry, Url } from '../domain/types.ts';
import { readObject, readUrls } from '../http/body.ts';
import { readApp, readParam, readSince, toStringArray } from '../http/input.ts';
import { EMPTY, json, type Reply } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { User } from '../storage/stores.ts';
import { listReply, listStream } from './list-reply.ts';
import type { Handler, RouteContext } from './route.ts';
import { uploadReply } from './upload-reply.ts';

/** The whole-list paths return 401 for anybody except the user in the path (spec 4.3 rule 6). */
const invalidUser = (): Refusal => new Refusal('unauthenticated', 'log in as the owner of these subscriptions');

/** Subscriptions as whole lists and as changes since a mark, for one device or for all (spec 4.3). */
export function createSubscriptionRoutes(
  { subscriptions, devices, directory }: Pick<Services, 'subscriptions' | 'devices' | 'directory'>,
  { identity, bodyOptions }: RouteContext,
): Record<'all' | 'list' | 'replace' | 'changes' | 'upload', Handler> {
  /** Records the last sync of the device, which its owner can see. */
  const touch = (event: H3Event, user: User): Promise<void> =>
    devices.touch(user.id, readParam(event, 'device'), readApp(event));

  /** JSON is an array of feed URLs (spec 4.3); OPML includes what is known about them. */
  const reply = (event: H3Event, user: User, title: string, urls: readonly Url[]): Reply => {
    const listing = { title, toJson: ({ url }: PodcastEntry) => url };
    if (readParam(event, 'format') === 'opml') {
      return listStream(event, directory.describePages(urls, user.id), listing);
    }
    return listReply(
      event,
      urls.map((url) => ({ url })),
      listing,
    );
  };

  return {
    async all(event) {
      const user = await identity.owner(event, invalidUser);
      return reply(event, user, `Subscriptions of ${user.name}`, await subscriptions.all(user.id));
    },

    async list(event) {
      const user = await identity.owner(event, invalidUser);
      const device = readParam(event, 'device');
      const urls = await subscriptions.list(user.id, device);
      await touch(event, user);
      return reply(event, user, `Subscriptions of ${user.name} on ${device}`, urls);
    },

    async replace(event) {
      const user = await identity.owner(event, invalidUser);
      const submitted = await readUrls(event, bodyOptions(user.id));
      await subscriptions.replace(user.id, readParam(event, 'device'), submitted);
      await touch(event, user);
      return EMPTY;
    },

    async changes(event) {
      const user = await identity.owner(event);
      const since = readSince(event);
      const { add, remove, mark } = await subscriptions.changes(user.id, readParam(event, 'device'), since);
      await touch(event, user);
      return json({ add, remove, timestamp: mark });
    },

    async upload(event) {
      const user = await identity.owner(event);
      const body = await readObject(event, bodyOptions(user.id));
      const delta = { add: toStringArray(body.add, 'add'), remove: toStringArray(body.remove, 'remove') };
      const stored = await subscriptions.upload(user.id, readParam(event, 'device'), delta);
      await touch(event, user);
      return uploadReply(stored);
    },
  };
}
