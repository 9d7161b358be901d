import type { Url, UserId } from '../../domain/types.ts';
import type { Storage } from '../../storage/stores.ts';

/** What an account knows by itself, listed or not. Takes sanitized URLs. */
export interface OwnPodcasts {
  /** Whether it subscribes to each of these, or acted on it. */
  have(user: UserId, podcasts: readonly Url[]): Promise<boolean[]>;
  /** Whether it acted on the episode, by URL or GUID, or has settings for it. Reads its actions on the podcast. */
  hasEpisode(user: UserId, podcast: Url, name: string): Promise<boolean>;
}

export function createOwnPodcasts({
  podcasts,
  actions,
  settings,
}: Pick<Storage, 'podcasts' | 'actions' | 'settings'>): OwnPodcasts {
  const hasActed = async (user: UserId, podcast: Url, name: string): Promise<boolean> => {
    const { pages } = await actions.query(user, { podcast });
    for await (const page of pages) {
      if (page.some(({ episode, guid }) => episode === name || guid === name)) return true;
    }
    return false;
  };

  return {
    have: (user, urls) => podcasts.areOf(user, urls),

    async hasEpisode(user, podcast, name) {
      const scope = { kind: 'episode', podcast, episode: name } as const;
      if (Object.keys(await settings.get(user, scope)).length > 0) return true;
      const [known] = await podcasts.find([podcast]);
      const urls = new Set([podcast, ...(known ? [known.url, ...(await podcasts.formerUrls(podcast))] : [])]);
      for (const url of urls) if (await hasActed(user, url, name)) return true;
      return false;
    },
  };
}
