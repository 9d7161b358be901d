import type { Seconds } from '../../domain/types.ts';
import type { RankedPodcast } from '../stores.ts';
import { byPopularity, type Catalog, type StoredPodcast, subscribersOf, toPodcast } from './podcast.ts';
import type { ToplistSnapshot } from './documents.ts';
import { topN } from './top-n.ts';

/** Podcasts in a toplist snapshot. */
const TOPLIST_LENGTH = 100;
/** Minimum time between two snapshots: a bit less than a day, so that a daily rebuild always stores one. */
const SNAPSHOT_INTERVAL: Seconds = 23 * 3600;
const WEEK: Seconds = 7 * 86_400;

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
  readonly #catalog: Catalog;
  /** Newest first. */
  snapshots: readonly ToplistSnapshot[] = [];
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

  clear(): void {
    this.snapshots = [];
    this.#ranking = undefined;
  }

  top(limit: number, now: Seconds): readonly RankedPodcast[] {
    const lastWeek = this.snapshots.find(({ at }) => at <= now - WEEK);
    const { podcasts, answers } = this.#rank(limit);
    const before = answers.get(limit);
    if (before && before.lastWeek === lastWeek) return before.podcasts;
    const answer = this.#compare(podcasts.slice(0, limit), lastWeek);
    answers.set(limit, { lastWeek, podcasts: answer });
    return answer;
  }

  #compare(podcasts: readonly StoredPodcast[], lastWeek: ToplistSnapshot | undefined): RankedPodcast[] {
    const positions = new Map(
      lastWeek?.urls.map((url, index) => [this.#catalog.find(url)?.url, index + 1] as const).toReversed(),
    );
    return podcasts.map((podcast) => ({
      ...toPodcast(podcast),
      positionLastWeek: positions.get(podcast.url) ?? 0,
    }));
  }

  /** A ranking of at least `limit` podcasts, or of all. */
  #rank(limit: number): Ranking {
    if (this.#ranking && this.#ranking.length >= limit) return this.#ranking;
    const length = Math.max(limit, TOPLIST_LENGTH);
    const popular = this.#catalog.all().filter(({ address }) => address.isListed);
    const podcasts = topN(popular, length, byPopularity);
    const lowest = podcasts.length < length ? 1 : subscribersOf(podcasts.at(-1)!);
    this.#ranking = { podcasts, length, lowest, answers: new Map() };
    return this.#ranking;
  }

  /**
   * The snapshots with one from another storage added. The same array if that is empty, or there is one of about the
   * same time.
   */
  withImported(other: ToplistSnapshot): readonly ToplistSnapshot[] {
    const isKept = this.snapshots.some(({ at }) => Math.abs(at - other.at) < SNAPSHOT_INTERVAL);
    return isKept || other.urls.length === 0
      ? this.snapshots
      : [...this.snapshots, other].toSorted((a, b) => b.at - a.at);
  }

  /** The snapshots with today's added. The same array if there is one of the last day. */
  withToday(now: Seconds): readonly ToplistSnapshot[] {
    const newest = this.snapshots[0];
    if (newest && newest.at > now - SNAPSHOT_INTERVAL) return this.snapshots;
    const { podcasts } = this.#rank(TOPLIST_LENGTH);
    if (podcasts.length === 0) return this.snapshots;
    const kept = [{ at: now, urls: podcasts.slice(0, TOPLIST_LENGTH).map(({ url }) => url) }, ...this.snapshots];
    const weekOld = kept.findIndex(({ at }) => at <= now - WEEK);
    return weekOld === -1 ? kept : kept.slice(0, weekOld + 1);
  }
}
