import { createSlug } from '../../domain/slug.ts';
import { compareText } from '../../domain/text-order.ts';
import type { Tag } from '../stores.ts';
import type { Address } from './podcast.ts';
import type { TagDocument } from './documents.ts';

/** Which podcasts have which tag. Everybody is told of the listed ones alone. Tags are the same when their slugs are. */
export class Tags {
  /** As first written, by slug. */
  readonly #titles = new Map<string, string>();
  readonly #podcasts = new Map<string, Set<Address>>();
  #top: Tag[] | undefined;

  has(tag: string): boolean {
    return this.#titles.has(tag);
  }

  /** Slugs whose titles are not known. */
  unknown(tags: readonly string[]): string[] {
    return slugsOf(tags).filter((slug) => !this.#titles.has(slug));
  }

  /** Takes these as the titles of those that are not known yet, and returns them for being stored. */
  claim(tags: readonly string[]): TagDocument[] {
    const claimed: TagDocument[] = [];
    for (const title of tags) {
      const tag = createSlug(title);
      if (tag === '' || this.#titles.has(tag)) continue;
      this.#titles.set(tag, title);
      claimed.push({ tag, title });
    }
    return claimed;
  }

  /** They were not stored. */
  release(claimed: readonly TagDocument[]): void {
    for (const { tag } of claimed) this.#titles.delete(tag);
  }

  /** How a tag was first written. */
  setTitle({ tag, title }: TagDocument): void {
    this.#titles.set(tag, title);
    this.#top = undefined;
  }

  add(podcast: Address, tags: readonly string[]): void {
    for (const slug of slugsOf(tags)) {
      const podcasts = this.#podcasts.get(slug);
      if (podcasts) podcasts.add(podcast);
      else this.#podcasts.set(slug, new Set([podcast]));
    }
    this.#top = undefined;
  }

  remove(podcast: Address, tags: readonly string[]): void {
    for (const slug of slugsOf(tags)) {
      const podcasts = this.#podcasts.get(slug);
      if (podcasts?.delete(podcast) && podcasts.size === 0) this.#podcasts.delete(slug);
    }
    this.#top = undefined;
  }

  /** Slugs of tags that no podcast has. */
  unused(): string[] {
    return [...this.#titles.keys()].filter((slug) => !this.#podcasts.has(slug));
  }

  /** How a tag was first written. */
  forget(tag: string): void {
    if (!this.#podcasts.has(tag)) this.#titles.delete(tag);
  }

  clear(): void {
    this.#titles.clear();
    this.#podcasts.clear();
    this.#top = undefined;
  }

  /** How they were first written, by slug; each once. */
  titles(tags: readonly string[]): TagDocument[] {
    return slugsOf(tags).map((tag) => ({ tag, title: this.#titles.get(tag) ?? tag }));
  }

  /** A podcast is listed, or is no longer. */
  relisted(): void {
    this.#top = undefined;
  }

  /** The podcasts with a tag, listed or not, by its slug or title in any letter case. */
  podcasts(tag: string): ReadonlySet<Address> {
    return this.#podcasts.get(createSlug(tag)) ?? new Set();
  }

  /** Of the listed podcasts, by usage, most first, then by slug. */
  top(limit: number): Tag[] {
    this.#top ??= [...this.#podcasts]
      .map(([tag, podcasts]) => ({ tag, title: this.#titles.get(tag) ?? tag, usage: countListed(podcasts) }))
      .filter(({ usage }) => usage > 0)
      .toSorted((a, b) => b.usage - a.usage || compareText(a.tag, b.tag));
    return this.#top.slice(0, limit).map((tag) => ({ ...tag }));
  }
}

function countListed(podcasts: Iterable<Address>): number {
  let count = 0;
  for (const { isListed } of podcasts) count += Number(isListed);
  return count;
}

/** Slugs, each once; a tag without a letter or digit has none. */
export const slugsOf = (tags: readonly string[]): string[] =>
  tags.length === 0 ? [] : [...new Set(tags.map(createSlug))].filter((slug) => slug !== '');
