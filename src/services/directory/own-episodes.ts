import type { UserId } from '../../domain/types.ts';
import type { Storage } from '../../storage/stores.ts';
import type { EpisodeReference } from './episode-names.ts';

/**
 * An episode as an action of the account names it, the last one with a GUID, otherwise as its settings do. Undefined if the
 * account has neither for this URL or GUID. Reads all its actions. URLs are sanitized.
 */
export async function findOwnEpisode(
  { podcasts, actions, settings }: Pick<Storage, 'podcasts' | 'actions' | 'settings'>,
  user: UserId,
  { podcast, episode }: EpisodeReference,
): Promise<EpisodeReference | undefined> {
  const { pages } = await actions.query(user, { podcasts: await podcasts.allUrls(podcast) });
  let found: EpisodeReference | undefined;
  for await (const page of pages) {
    for (const action of page) {
      const isNamed = action.episode === episode || action.guid === episode;
      if (isNamed && (!found || action.guid !== undefined)) found = action;
    }
  }
  const scope = { kind: 'episode', podcast, episode } as const;
  return found ?? (Object.keys(await settings.get(user, scope)).length > 0 ? scope : undefined);
}
