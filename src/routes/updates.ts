import { writeEntries, writePages } from '../formats/pages.ts';
import { readApp, readBoolean, readParam, readSince } from '../http/input.ts';
import { publicBase } from '../http/origin.ts';
import { jsonStream } from '../http/reply.ts';
import type { Services } from '../services/services.ts';
import type { EpisodeUpdate } from '../services/sync/updates.ts';
import type { Handler, RouteContext } from './route.ts';
import { toActionObject, toEpisodeObject, toPodcastObject } from './wire-objects.ts';

/** What is new for a device since a mark: subscriptions and their episodes (spec 4.5). */
export const createUpdateRoute =
  (
    { updates, devices, directory }: Pick<Services, 'updates' | 'devices' | 'directory'>,
    { identity, origin }: RouteContext,
  ): Handler =>
  async (event) => {
    const user = await identity.owner(event);
    const withActions = readBoolean(event, 'include_actions');
    const device = readParam(event, 'device');
    const { add, remove, pages, mark } = await updates.since(user.id, device, readSince(event));
    await devices.touch(user.id, device, readApp(event));
    const base = publicBase(event, origin);
    const added = (await directory.describe(add, user.id)).map((podcast) => toPodcastObject(podcast, base));
    // `rem`: the name that gpodder.net uses and some clients read.
    const changes = JSON.stringify({ add: added, remove, rem: remove }).slice(0, -1);
    return jsonStream(
      writePages(pages, {
        head: `${changes},"updates":[`,
        write: (page) => writeEntries(page.map((update) => toUpdateObject(update, base, withActions))),
        separator: ',',
        end: `],"timestamp":${mark}}`,
      }),
    );
  };

/** An episode with its `status` and, if requested and not `new`, the user's newest action (spec 2.3). */
function toUpdateObject(update: EpisodeUpdate, base: string, withActions: boolean): Record<string, unknown> {
  const { podcast, podcastTitle, episode, status, action } = update;
  return {
    ...toEpisodeObject({ ...episode, podcast, podcastTitle }, base),
    status,
    ...(withActions && action && { action: toActionObject(action) }),
  };
}
