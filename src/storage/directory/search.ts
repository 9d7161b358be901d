import { setImmediate } from 'node:timers/promises';
import { mayBeMisspelt, toQueryTerms, toSearchableUrl } from '../../domain/terms.ts';
import type { Url } from '../../domain/types.ts';
import type { Catalog } from './catalog.ts';
import { byPopularity, type StoredPodcast, subscribersOf } from './podcast.ts';
import { FullText } from './full-text.ts';
import { topN } from './top-n.ts';

/** How long indexing may hold up requests at once. Milliseconds. */
const SLICE = 5;
/** The index is built this long after all podcasts are read, or at the first search. Most commands are over by then. Milliseconds. */
const BUILT_AFTER = 1000;
/** At most so many words of a search may be misspelt: it bounds the time taken. */
const MOST_MISSPELT = 3;

/** Full-text search of the listed podcasts. What changes is indexed in the background, little by little. */
export class SearchIndex {
  readonly #catalog: Catalog;
  readonly #texts = new FullText();
  /** Podcasts whose entries in the index are out of date; none before it is begun. */
  readonly #stale = new Set<Url>();
  #isBegun = false;
  #updating: Promise<void> | undefined;
  #building: NodeJS.Timeout | undefined;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** All podcasts are read. On a slow machine that takes so long that an index begun meanwhile would hold up the start. */
  buildSoon(): void {
    this.#building = setTimeout(() => void this.#refresh(), BUILT_AFTER).unref();
  }

  /** A podcast is new, has changed, moved, or is listed or not from now on. */
  changed(url: Url): void {
    if (!this.#isBegun) return;
    this.#stale.add(url);
    void this.#refresh();
  }

  /** No index is built any more. */
  close(): void {
    clearTimeout(this.#building);
    this.#stale.clear();
  }

  /**
   * Those that have all words of the text, best first; where they are few, then those that have similar words; where
   * there are none, those that have any.
   */
  async search(text: string, limit: number): Promise<StoredPodcast[]> {
    const same = looksLikeUrl(text) ? this.#byUrl(text, limit) : [];
    if (same.length > 0) return same;
    do await this.#refresh();
    while (this.#stale.size > 0);
    const words = toQueryTerms(text);
    const found = this.#best(this.#texts.score(words, []), limit);
    const misspelt = words
      .filter((word) => mayBeMisspelt(word) && !this.#texts.isProminent(word))
      .slice(0, MOST_MISSPELT);
    if (found.length === limit) return found;
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

  /** The podcasts that have a score, by number. */
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
    if (!this.#isBegun) for (const { url, address } of this.#catalog.all()) if (address.isListed) this.#stale.add(url);
    this.#isBegun = true;
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #update(): Promise<void> {
    let until = 0;
    for (const url of this.#stale) {
      if (performance.now() >= until) {
        await setImmediate();
        until = performance.now() + SLICE;
      }
      this.#stale.delete(url);
      const podcast = this.#catalog.find(url);
      if (podcast?.url === url && podcast.address.isListed) this.#texts.put(podcast);
      else this.#texts.remove(url);
    }
  }
}

const looksLikeUrl = (text: string): boolean => /^\s*(?:https?:\/\/|[^\s/]+\.[^\s/.]{2,}(?:\/|\s*$))/i.test(text);

/** What many have is looked for by many, and a short title is likely to be meant. */
const likelihoodOf = (podcast: StoredPodcast): number =>
  (1 + Math.log10(1 + subscribersOf(podcast)) / 2) * (1 + 1 / (1 + podcast.title.length));
