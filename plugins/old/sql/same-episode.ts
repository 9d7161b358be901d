import type { ExportedEpisode, Url } from '../../../src/old-plugin.ts';

/** What an episode is known by. */
export interface Named {
  url: Url;
  guid?: string | null;
}

/** Finds the one of these episodes that another is: by GUID, else by the URL that one has, else by one that it had. */
export function createFinder(episodes: readonly ExportedEpisode[]): (named: Named) => ExportedEpisode | undefined {
  const byGuid = new Map(episodes.flatMap((each) => (each.guid === undefined ? [] : [[each.guid, each] as const])));
  const byUrl = new Map(episodes.flatMap((each) => each.formerUrls.map((url) => [url, each])));
  for (const each of episodes) byUrl.set(each.url, each);
  return ({ guid, url }) => (guid ? byGuid.get(guid) : undefined) ?? byUrl.get(url);
}
