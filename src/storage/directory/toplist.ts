import type { Seconds } from '../../domain/types.ts';
import type { RankedPodcast } from '../stores.ts';
import type { Catalog } from './catalog.ts';
import { byPopularity, type StoredPodcast, subscribersOf } from './podcast.ts';
import type { KeptToplist } from './documents.ts';
import { TOPLIST_EVERY, TOPLIST_LENGTH, WEEK } from './rules.ts';
import { topN } from './top-n.ts';

/** The first podcasts, most subscribers first. */
interface Ranking {
  podcasts: StoredPodcast[];
  /** How many were looked for; there are fewer when no more have subscribers. */
  length: number;
  /** A podcast with fewer subscribers than this is not among them. */
  lowest: number;
  /** By limit: what `top` made of it, and the toplist it was compared with. */
  answers: Map<number, { lastWeek: KeptToplist | undefined; podcasts: readonly RankedPodcast[] }>;
}

/** The listed podcasts with the most subscribers. Ranked again only when something has changed that matters for the ranks. */
export class Toplist {
  readonly #catalog: Catalog;
  /** See `KeptToplist`. */
  kept: readonly KeptToplist[] = [];
  #ranking: Ranking | undefined;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** A podcast has changed, is shown or listed no more, or has another number of subscribers. */
  changed(podcast: StoredPodcast): void {
    if (!this.#ranking) return;
    const { podcasts, lowest } = this.#ranking;
    const isAffected = subscribersOf(podcast) >= lowest || podcasts.some(({ url }) => podcast.url === url);
    if (isAffected) this.#ranking = undefined;
  }

  clear(): void {
    this.kept = [];
    this.#ranking = undefined;
  }

  top(limit: number, now: Seconds): readonly RankedPodcast[] {
    const lastWeek = this.kept.find(({ at }) => at <= now - WEEK);
    const { podcasts, answers } = this.#rank(limit);
    const before = answers.get(limit);
    if (before && before.lastWeek === lastWeek) return before.podcasts;
    const answer = this.#compare(podcasts.slice(0, limit), lastWeek);
    answers.set(limit, { lastWeek, podcasts: answer });
    return answer;
  }

  #compare(podcasts: readonly StoredPodcast[], lastWeek: KeptToplist | undefined): RankedPodcast[] {
    const positions = new Map(
      lastWeek?.urls.map((url, index) => [this.#catalog.find(url)?.url, index + 1] as const).toReversed(),
    );
    return podcasts.map((podcast) => ({
      ...this.#catalog.toPodcast(podcast),
      positionLastWeek: positions.get(podcast.url) ?? 0,
    }));
  }

  /** A ranking of at least so many podcasts, or of all. */
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
   * What is kept when this one of another storage is added; the same as now when it is empty, or there is one of about
   * that time.
   */
  keptWithOther(other: KeptToplist): readonly KeptToplist[] {
    const isKept = this.kept.some(({ at }) => Math.abs(at - other.at) < TOPLIST_EVERY);
    return isKept || other.urls.length === 0 ? this.kept : [...this.kept, other].toSorted((a, b) => b.at - a.at);
  }

  /** What is kept when today's is added; the same as now when there is one of the last day already. */
  keptWith(now: Seconds): readonly KeptToplist[] {
    const newest = this.kept[0];
    if (newest && newest.at > now - TOPLIST_EVERY) return this.kept;
    const { podcasts } = this.#rank(TOPLIST_LENGTH);
    if (podcasts.length === 0) return this.kept;
    const kept = [{ at: now, urls: podcasts.slice(0, TOPLIST_LENGTH).map(({ url }) => url) }, ...this.kept];
    const weekOld = kept.findIndex(({ at }) => at <= now - WEEK);
    return weekOld === -1 ? kept : kept.slice(0, weekOld + 1);
  }
}
