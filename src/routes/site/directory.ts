import type { H3Event } from 'h3';
import { readQuery } from '../../http/input.ts';
import { type DirectoryView, renderDirectory } from '../../pages/directory.ts';
import type { Services } from '../../services/services.ts';
import type { Podcast } from '../../storage/stores.ts';
import type { Handler, RouteContext } from '../route.ts';
import type { Site } from './site.ts';

/** Podcasts of the toplist, and of a tag. */
const LISTED = 50;
const TAGS = 50;

/** The directory page: `?q=` searches, `?tag=` lists the podcasts with a tag, otherwise it shows the toplist. */
export function createDirectoryPage(
  { directory, library }: Pick<Services, 'directory' | 'library'>,
  { identity, directory: mode }: RouteContext,
  site: Site,
): Handler {
  const read = async (event: H3Event): Promise<{ view: DirectoryView; podcasts: readonly Podcast[] }> => {
    if (mode === 'off') return { view: { kind: 'off' }, podcasts: [] };
    const text = readQuery(event, 'q')?.trim();
    if (text) return { view: { kind: 'search', text }, podcasts: await directory.search(text) };
    const tag = readQuery(event, 'tag')?.trim();
    if (tag) return { view: { kind: 'tag', tag }, podcasts: await directory.tagged(tag, LISTED) };
    return { view: { kind: 'toplist', tags: await directory.tags(TAGS) }, podcasts: await directory.toplist(LISTED) };
  };

  return async (event) => {
    const { view, podcasts } = await read(event);
    const user = await identity.siteUser(event);
    const urls = podcasts.map(({ url }) => url);
    const subscribed = user ? await library.filterSubscribed(user.id, urls) : new Set<string>();
    return site.page(event, (frame) =>
      renderDirectory({ base: frame.base, csrf: frame.user?.csrf, view, podcasts, subscribed }),
    );
  };
}
