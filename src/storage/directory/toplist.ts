import type { Seconds } from '../../domain/types.ts';
import type { RankedPodcast } from '../stores.ts';
import type { ToplistSnapshot } from './documents.ts';
import { byPopularity, type Catalog, type StoredPodcast, subscribersOf, toPodcast, topN } from './podcast.ts';

/** Podcasts that are ranked at least. */
const MIN_LENGTH = 100;
const WEEK: Seconds = 7 * 86_400;

/** Whether the rank of last week may be that in this snapshot. */
export const isWeekOld = ({ at }: ToplistSnapshot, now: Seconds): boolean => at <= now - WEEK;

/** The first podcasts, most subscribers first. */
interface Ranking {
  podcasts: StoredPodcast[];
  /** Requested length; `podcasts` may be shorter. */
  length: number;
  /** A podcast with fewer subscribers is not in the ranking. */
  lowest: number;
  /** Cached answers of `top`, by limit, with the snapshot they were compared with. */
  answers: Map<number, { lastWeek: ToplistSnapshot | undefined; podcasts: readonly RankedPodcast[] }>;
}

/** The listed podcasts with the most subscribers. Ranked again only after a change that affects the ranking. */
export class Toplist {
  /** Toplists of the last week, and the newest one before. Newest first. */
  snapshots: readonly ToplistSnapshot[] = [];
  readonly #catalog: Catalog;
  #ranking: Ranking | undefined;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** To be called when a podcast is changed, removed, listed, unlisted, or has another number of subscribers. */
  changed(podcast: StoredPodcast): void {
    if (!this.#ranking) return;
    const { podcasts, lowest } = this.#ranking;
    const isAffected = subscribersOf(podcast) >= lowest || podcasts.some(({ url }) => podcast.url === url);
    if (isAffected) this.#ranking = undefined;
  }

  /** The first podcasts, with their ranks in the newest snapshot at least a week old. */
  top(limit: number, now: Seconds): readonly RankedPodcast[] {
    const { podcasts, answers } = this.#rank(limit);
    const lastWeek = this.snapshots.find((each) => isWeekOld(each, now));
    const before = answers.get(limit);
    if (before && before.lastWeek === lastWeek) return before.podcasts;
    const ranks = lastWeek?.urls.map((url, index) => [this.#catalog.find(url)?.url, index + 1] as const) ?? [];
    const positions = new Map(ranks.toReversed()); // of two podcasts that are one now, the better rank
    const answer = podcasts.slice(0, limit).map((podcast) => ({
      ...toPodcast(podcast),
      positionLastWeek: positions.get(podcast.url) ?? 0,
    }));
    answers.set(limit, { lastWeek, podcasts: answer });
    return answer;
  }

  /** A ranking of at least `limit` podcasts, or of all. */
  #rank(limit: number): Ranking {
    if (this.#ranking && this.#ranking.length >= limit) return this.#ranking;
    const length = Math.max(limit, MIN_LENGTH);
    const listed = this.#catalog.all().filter(({ address }) => address.isListed);
    const podcasts = topN(listed, length, byPopularity);
    const lowest = podcasts.length < length ? 1 : subscribersOf(podcasts.at(-1)!);
    return (this.#ranking = { podcasts, length, lowest, answers: new Map() });
  }
}
