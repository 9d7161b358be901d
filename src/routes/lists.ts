import type { H3Event } from 'h3';
import { Refusal } from '../domain/errors.ts';
import { readUrls } from '../http/body.ts';
import { readParam, readQuery } from '../http/input.ts';
import { publicBase } from '../http/origin.ts';
import { json, type Reply, toPublic } from '../http/reply.ts';
import { listPage, listResource } from '../pages/parts/links.ts';
import type { KnownPodcast } from '../services/directory/directory.ts';
import { inPages } from '../services/directory/paging.ts';
import type { Services } from '../services/services.ts';
import type { User } from '../storage/stores.ts';
import { listStream } from './list-reply.ts';
import type { Handler, RouteContext } from './route.ts';
import { toPodcastObject } from './wire-objects.ts';

const DONE = { status: 204 };

const isByEmail = (event: H3Event): boolean => readParam(event, 'user').includes('@');
/** Public, unless users request their own lists by e-mail address. */
const toShared = (event: H3Event, reply: Reply): Reply => (isByEmail(event) ? reply : toPublic(reply));

/** Podcast lists: users change their own, and anybody can read all (spec 4.4). */
export function createListRoutes(
  { accounts, lists, directory }: Pick<Services, 'accounts' | 'lists' | 'directory'>,
  { identity, bodyOptions, origin, directory: mode }: RouteContext,
): Record<'all' | 'create' | 'read' | 'replace' | 'delete', Handler> {
  /**
   * Anybody may read lists. An e-mail address works only for its owner, so that it does not reveal whether an account
   * exists. Undefined for an unknown user: then the response must be the same as for a user without such a list.
   */
  const findUser = (event: H3Event): Promise<User | undefined> =>
    isByEmail(event) ? identity.owner(event) : accounts.findByName(readParam(event, 'user'));

  return {
    async all(event) {
      const user = await findUser(event);
      const summaries = await lists.all(user?.id);
      if (!user || summaries.length === 0) {
        if (isByEmail(event) || (await identity.isOwner(event))) return json([]);
        throw new Refusal('missing', 'no user with this name has public lists');
      }
      const base = publicBase(event, origin);
      return toShared(event, json(summaries.map((list) => ({ ...list, web: listPage(base, user.name, list.name) }))));
    },

    async create(event) {
      const user = await identity.owner(event);
      const title = readQuery(event, 'title') ?? '';
      const { name } = await lists.create(user.id, title, await readUrls(event, bodyOptions(user.id)));
      const location = listResource(publicBase(event, origin), user.name, name, readParam(event, 'format'));
      return { status: 303, headers: { location } };
    },

    async read(event) {
      const user = await findUser(event);
      const viewer = identity.viewer(event);
      const { title, urls, owner } = await lists.findShared(user?.id, readParam(event, 'name'), viewer);
      const base = publicBase(event, origin);
      const toJson = (podcast: KnownPodcast) => toPodcastObject(podcast, base);
      // Everybody may read a list, but what a directory for members knows about its podcasts needs a login.
      const isHidden = mode === 'members' && (await viewer()) === undefined;
      const podcasts = isHidden ? inPages(urls.map((url) => ({ url }))) : directory.describePages(urls, owner);
      const reply = listStream(event, podcasts, { title, toJson });
      return owner === undefined && mode !== 'members' ? toShared(event, reply) : reply;
    },

    async replace(event) {
      const user = await identity.owner(event);
      await lists.replace(user.id, readParam(event, 'name'), await readUrls(event, bodyOptions(user.id)));
      return DONE;
    },

    async delete(event) {
      const user = await identity.owner(event);
      await lists.delete(user.id, readParam(event, 'name'));
      return DONE;
    },
  };
}
