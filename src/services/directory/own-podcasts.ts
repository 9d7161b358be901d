import type { EpisodeAction, Url, UserId } from '../../domain/types.ts';
import type { Storage } from '../../storage/stores.ts';

/** Podcasts and episodes in an account's own data, listed or not. Takes sanitized URLs. */
export interface OwnPodcasts {
  /** Whether the account subscribes to, or has actions on, each of these. */
  have(user: UserId, podcasts: readonly Url[]): Promise<boolean[]>;
  /** Whether the account has actions on the episode, by URL or GUID, or settings for it. Reads all its actions. */
  hasEpisode(user: UserId, podcast: Url, name: string): Promise<boolean>;
}

export function createOwnPodcasts({
  podcasts,
  actions,
  settings,
}: Pick<Storage, 'podcasts' | 'actions' | 'settings'>): OwnPodcasts {
  const hasAction = async (user: UserId, urls: ReadonlySet<Url>, name: string): Promise<boolean> => {
    const { pages } = await actions.query(user, {}); // once: a podcast may have thousands of former URLs
    for await (const page of pages) {
      const isNamed = ({ episode, guid }: EpisodeAction): boolean => episode === name || guid === name;
      if (page.some((action) => isNamed(action) && urls.has(action.podcast))) return true;
    }
    return false;
  };

  return {
    have: (user, urls) => podcasts.areUsedBy(user, urls),

    async hasEpisode(user, podcast, name) {
      const scope = { kind: 'episode', podcast, episode: name } as const;
      if (Object.keys(await settings.get(user, scope)).length > 0) return true;
      const [known] = await podcasts.find([podcast]);
      const urls = new Set([podcast, ...(known ? [known.url, ...(await podcasts.formerUrls(podcast))] : [])]);
      return hasAction(user, urls, name);
    },
  };
}
