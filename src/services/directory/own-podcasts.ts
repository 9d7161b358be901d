import type { Url, UserId } from '../../domain/types.ts';
import type { Storage } from '../../storage/stores.ts';

/** Podcasts and episodes in an account's own data, listed or not. Takes sanitized URLs. */
export interface OwnPodcasts {
  /** Whether the account subscribes to, or has actions on, each of these. */
  have(user: UserId, podcasts: readonly Url[]): Promise<boolean[]>;
  /** Whether the account has actions on the episode, by URL or GUID, or settings for it. Reads all its actions on the podcast. */
  hasEpisode(user: UserId, podcast: Url, name: string): Promise<boolean>;
}

export function createOwnPodcasts({
  podcasts,
  actions,
  settings,
}: Pick<Storage, 'podcasts' | 'actions' | 'settings'>): OwnPodcasts {
  const hasAction = async (user: UserId, podcast: Url, name: string): Promise<boolean> => {
    const { pages } = await actions.query(user, { podcast });
    for await (const page of pages) {
      if (page.some(({ episode, guid }) => episode === name || guid === name)) return true;
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
      for (const url of urls) if (await hasAction(user, url, name)) return true;
      return false;
    },
  };
}
