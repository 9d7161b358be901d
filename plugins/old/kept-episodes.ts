import type { EpisodeInfo } from '../../src/old-plugin.ts';
import { EPISODES_KEPT } from './directory-rules.ts';

/** The episodes of a feed without those that would be let go at once: beyond what is kept, and never acted on. */
export function worthKeeping(
  told: readonly EpisodeInfo[],
  isActed: (names: readonly string[]) => boolean,
): EpisodeInfo[] {
  if (told.length <= EPISODES_KEPT) return [...told];
  const newest = told.toSorted((a, b) => (b.releasedAt ?? 0) - (a.releasedAt ?? 0)).slice(0, EPISODES_KEPT);
  const isNewest = new Set(newest);
  return told.filter((each) => isNewest.has(each) || isActed(namesOf(each)));
}

/** The names by which somebody may have acted on it. */
export const namesOf = ({ url, guid }: EpisodeInfo): string[] => (guid === undefined ? [url] : [url, guid]);
