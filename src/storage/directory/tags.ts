import { createSlug } from '../../domain/slug.ts';
import { compareText } from '../../domain/text-order.ts';
import type { Tag } from '../stores.ts';
import type { TagDocument } from './documents.ts';
import { PodcastIndex } from './podcast-index.ts';
import type { Address } from './podcast.ts';

/** Index of podcasts by tag. Only listed podcasts are public. Two tags with the same slug are the same tag. */
export class Tags {
  /** First spellings, by slug. */
  readonly #titles = new Map<string, string>();
  readonly #podcasts = new PodcastIndex();
  #top: Tag[] | undefined;

  /**
   * Those of these titles, of the tags of a podcast, that may be the first spelling of a tag. Also of a known tag that no
   * podcast has: another process may have removed its title.
   */
  newTitles(titles: readonly string[]): TagDocument[] {
    const bySlug = new Map(titles.toReversed().map((title) => [createSlug(title), title])); // the first one wins
    const isKnown = (tag: string): boolean => this.#titles.has(tag) && this.#podcasts.has(tag);
    return Array.from(bySlug, ([tag, title]) => ({ tag, title })).filter(({ tag }) => tag !== '' && !isKnown(tag));
  }

  /** Sets the first spelling of a tag. */
  setTitle({ tag, title }: TagDocument): void {
    this.#titles.set(tag, title);
    this.#top = undefined;
  }

  add(podcast: Address, tags: readonly string[]): void {
    for (const slug of slugsOf(tags)) this.#podcasts.add(slug, podcast);
    this.#top = undefined;
  }

  remove(podcast: Address, tags: readonly string[]): void {
    for (const slug of slugsOf(tags)) this.#podcasts.remove(slug, podcast);
    this.#top = undefined;
  }

  /** Slugs of tags that no podcast has. */
  unused(): string[] {
    return [...this.#titles.keys()].filter((slug) => !this.#podcasts.has(slug));
  }

  /** Forgets the title of an unused tag. */
  forget(tag: string): void {
    if (!this.#podcasts.has(tag)) this.#titles.delete(tag);
  }

  /** The first spelling of each tag that a podcast has. */
  titles(): TagDocument[] {
    return Array.from(this.#podcasts.keys(), (tag) => ({ tag, title: this.#titles.get(tag) ?? tag }));
  }

  /** To be called when a podcast is listed or unlisted. */
  relisted(): void {
    this.#top = undefined;
  }

  /** The podcasts with a tag, listed or not. `tag` is a slug or a title in any case. */
  podcasts(tag: string): ReadonlySet<Address> {
    return this.#podcasts.get(createSlug(tag)) ?? new Set();
  }

  /** Tags of listed podcasts, most used first, then by slug. */
  top(limit: number): Tag[] {
    this.#top ??= [...this.#podcasts]
      .map(([tag, podcasts]) => ({ tag, title: this.#titles.get(tag) ?? tag, usage: countListed(podcasts) }))
      .filter(({ usage }) => usage > 0)
      .toSorted((a, b) => b.usage - a.usage || compareText(a.tag, b.tag));
    return this.#top.slice(0, limit).map((tag) => ({ ...tag }));
  }
}

const countListed = (podcasts: Iterable<Address>): number =>
  Array.from(podcasts).filter((each) => each.isListed).length;

/** Slugs without duplicates; a tag without a letter or digit has none. */
export const slugsOf = (tags: readonly string[]): string[] =>
  tags.length === 0 ? [] : [...new Set(tags.map(createSlug))].filter((slug) => slug !== '');
