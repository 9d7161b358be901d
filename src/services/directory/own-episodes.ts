import type { EpisodeAction, Url, UserId } from '../../domain/types.ts';
import type { Storage } from '../../storage/stores.ts';

/**
 * Whether an account has actions on an episode, by URL or GUID, or settings for it. Reads all its actions. `podcast` is
 * sanitized.
 */
export async function hasEpisode(
  { podcasts, actions, settings }: Pick<Storage, 'podcasts' | 'actions' | 'settings'>,
  user: UserId,
  podcast: Url,
  name: string,
): Promise<boolean> {
  const scope = { kind: 'episode', podcast, episode: name } as const;
  if (Object.keys(await settings.get(user, scope)).length > 0) return true;
  const isNamed = ({ episode, guid }: EpisodeAction): boolean => episode === name || guid === name;
  const { pages } = await actions.query(user, { podcasts: await podcasts.allUrls(podcast) });
  for await (const page of pages) if (page.some(isNamed)) return true;
  return false;
}
