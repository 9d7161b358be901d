import { groupBy } from '../../batches.ts';
import type { Url } from '../../domain/types.ts';
import { mapInSlices } from '../../slices.ts';
import type { PodcastStore } from '../../storage/stores.ts';
import type { EpisodeReference } from '../directory/episode-names.ts';
import type { ActionTable, EpisodeState } from './action-table.ts';

/** An episode that has actions, whichever names these have for it and its podcast. */
export interface ActedEpisode {
  /** In the directory, otherwise in the actions. */
  url: Url;
  /** Numbers in the action table, one for each name. */
  numbers: readonly number[];
  /** The name in the action that determines `state`, otherwise in any action. */
  reference: EpisodeReference;
  state?: EpisodeState;
}

/** All episodes of a podcast that have actions. */
export async function findActedEpisodes(
  podcasts: Pick<PodcastStore, 'allUrls' | 'findEpisodes'>,
  table: ActionTable,
  podcast: Url,
): Promise<ActedEpisode[]> {
  const addresses = [...(await podcasts.allUrls(podcast))];
  const all = addresses.flatMap((address) => [...table.episodesOf(address).values()]);
  if (all.length === 0) return []; // without reading the episodes of the podcast
  const references = await mapInSlices(all, (number) => table.referenceOf(number));
  const known = await podcasts.findEpisodes(podcast, references);
  const byUrl = groupBy(all.keys(), (at) => known[at]?.url ?? references[at]!.episode);
  return mapInSlices(byUrl, ([url, indexes]) => {
    const numbers = indexes.map((at) => all[at]!);
    const state = table.stateOf(numbers);
    return { url, numbers, reference: table.referenceOf(state?.number ?? numbers[0]!), ...(state && { state }) };
  });
}
