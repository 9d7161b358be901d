import type { PodcastEntry } from '../../domain/types.ts';
import { MEDIA_TYPES } from '../../formats/format.ts';
import { writeOpml } from '../../formats/opml-write.ts';
import { writeTxt } from '../../formats/txt.ts';
import { readOneOf, readParam, readQuery } from '../../http/input.ts';
import type { Services } from '../../services/services.ts';
import type { Handler } from '../route.ts';

const WRITERS = {
  opml: (user: string, podcasts: readonly PodcastEntry[]) => writeOpml(`Subscriptions of ${user}`, podcasts),
  json: (_user: string, podcasts: readonly PodcastEntry[]) => `${JSON.stringify(podcasts.map(toEntry))}\n`,
  txt: (_user: string, podcasts: readonly PodcastEntry[]) => writeTxt(podcasts.map(({ url }) => url)),
};

/**
 * The subscriptions of a user or of one `device`, with their data in the directory. The format is a query parameter:
 * errors are always JSON.
 */
export function createSubscriptionExportRoute({
  administration,
  subscriptions,
  directory,
}: Pick<Services, 'administration' | 'subscriptions' | 'directory'>): Handler {
  return async (event) => {
    const format = readOneOf(event, 'format', ['opml', 'json', 'txt']);
    const { id, name } = await administration.find(readParam(event, 'user'));
    const device = readQuery(event, 'device');
    const urls = device === undefined ? await subscriptions.all(id) : await subscriptions.list(id, device);
    return { type: MEDIA_TYPES[format], body: WRITERS[format](name, await directory.describe(urls, id)) };
  };
}

/** Omits unknown fields. */
const toEntry = ({ url, title, description, website }: PodcastEntry): PodcastEntry => ({
  url,
  ...(title && { title }),
  ...(description && { description }),
  ...(website && { website }),
});
