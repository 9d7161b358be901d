import { setImmediate } from 'node:timers/promises';
import { mayBeMisspelt, toQueryTerms, toSearchableUrl } from '../../domain/terms.ts';
import { eachInSlices } from '../../slices.ts';
import { FullText } from './full-text.ts';
import { type Address, byPopularity, type Catalog, type StoredPodcast, subscribersOf, topN } from './podcast.ts';

/**
 * The index is built this long after the start, or at the first search. Most commands have ended by then. Milliseconds.
 */
const BUILD_DELAY = 1000;
/** Words of a search that may be misspelt, to bound the time. */
const MAX_MISSPELT = 3;

/** Full-text search of the listed podcasts. Changes are indexed in the background, in slices. */
export class SearchIndex {
  readonly #catalog: Catalog;
  readonly #texts = new FullText();
  /** Numbers of the addresses to be indexed again; undefined until the index is started. */
  #stale: Set<number> | undefined;
  #updating: Promise<void> | undefined;
  #building: NodeJS.Timeout | undefined;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Schedules the first build. Not at once: on a slow machine it would delay the start. */
  buildSoon(): void {
    this.#building = setTimeout(() => void this.#refresh(), BUILD_DELAY).unref();
  }

  /** To be called when a podcast is added, changed, moved, listed or unlisted. */
  changed({ number }: Address): void {
    if (!this.#stale) return;
    this.#stale.add(number);
    void this.#refresh();
  }

  /** Stops indexing. */
  close(): void {
    clearTimeout(this.#building);
    this.#stale?.clear();
  }

  /**
   * Podcasts with all words of the text, best first. If these are fewer than `limit`, followed by those with similar
   * words; if there are none at all, those with any of the words.
   */
  async search(text: string, limit: number): Promise<StoredPodcast[]> {
    const same = looksLikeUrl(text) ? this.#byUrl(text, limit) : [];
    if (same.length > 0) return same;
    do await this.#refresh();
    while (this.#stale!.size > 0);
    const words = toQueryTerms(text);
    const found = this.#best(this.#texts.score(words, []), limit);
    if (found.length === limit) return found;
    const misspelt = words
      .filter((word) => mayBeMisspelt(word) && !this.#texts.isProminent(word))
      .slice(0, MAX_MISSPELT);
    const similar = misspelt.length > 0 ? this.#best(this.#texts.score(words, misspelt), limit) : [];
    if (found.length + similar.length === 0) return this.#best(this.#texts.score(words, misspelt, 'any'), limit);
    return [...new Set([...found, ...similar])].slice(0, limit);
  }

  #byUrl(text: string, limit: number): StoredPodcast[] {
    const part = toSearchableUrl(text).trim().toLowerCase();
    if (part === '') return [];
    const isIn = this.#catalog
      .all()
      .filter(({ url, address }) => address.isListed && toSearchableUrl(url).toLowerCase().includes(part));
    return topN(isIn, limit, byPopularity);
  }

  /** The podcasts with the best scores; `scores` is by number. */
  #best(scores: Float64Array, limit: number): StoredPodcast[] {
    const { podcasts } = this.#texts;
    const found: number[] = [];
    for (let number = 0; number < scores.length; number += 1) {
      if (scores[number] === 0) continue;
      scores[number]! *= likelihoodOf(podcasts[number]!);
      found.push(number);
    }
    const best = topN(found, limit, (a, b) => scores[b]! - scores[a]! || byPopularity(podcasts[a]!, podcasts[b]!));
    return best.map((number) => podcasts[number]!);
  }

  #refresh(): Promise<void> {
    this.#stale ??= new Set(this.#catalog.all().map(({ address }) => address.number));
    this.#updating ??= this.#update(this.#stale).finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #update(stale: Set<number>): Promise<void> {
    await setImmediate(); // not within the commit that changed a podcast
    await eachInSlices(stale, (number) => {
      stale.delete(number);
      const address = this.#catalog.addresses[number];
      this.#texts.set(number, address?.isListed ? address.podcast : undefined);
    });
  }
}

const looksLikeUrl = (text: string): boolean => /^\s*(?:https?:\/\/|[^\s/]+\.[^\s/.]{2,}(?:\/|\s*$))/i.test(text);

/** Popular podcasts and short titles are more likely to be meant. */
const likelihoodOf = (podcast: StoredPodcast): number =>
  (1 + Math.log10(1 + subscribersOf(podcast)) / 2) * (1 + 1 / (1 + podcast.title.length));
