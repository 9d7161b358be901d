import { compareText, createSlug, type Tag, type Url } from '../../../src/old-plugin.ts';

/** Which podcasts have which tag. Tags are the same when their slugs are. */
export class Tags {
  /** As first seen, by slug. */
  readonly titles: Map<string, string>;
  readonly #podcasts = new Map<string, Set<Url>>();
  #top: Tag[] | undefined;

  constructor(titles: readonly { tag: string; title: string }[]) {
    this.titles = new Map(titles.map(({ tag, title }) => [tag, title]));
  }

  /** Slugs, each once; a tag without a letter or digit has none. */
  static slugs(tags: readonly string[]): string[] {
    return [...new Set(tags.map(createSlug))].filter((slug) => slug !== '');
  }

  /** Tells how a tag was first written. Answers whether that was not known. */
  meet(tag: string, title: string): boolean {
    if (this.titles.has(tag)) return false;
    this.titles.set(tag, title);
    return true;
  }

  clear(): void {
    this.titles.clear();
    this.#podcasts.clear();
    this.#top = undefined;
  }

  /** Answers whether there is a new one among them. */
  add(podcast: Url, tags: readonly string[]): boolean {
    const before = this.titles.size;
    for (const title of tags) {
      const slug = createSlug(title);
      if (slug === '') continue;
      this.meet(slug, title);
      this.#podcasts.set(slug, (this.#podcasts.get(slug) ?? new Set()).add(podcast));
    }
    this.#top = undefined;
    return this.titles.size > before;
  }

  remove(podcast: Url, tags: readonly string[]): void {
    for (const slug of Tags.slugs(tags)) this.#podcasts.get(slug)?.delete(podcast);
    this.#top = undefined;
  }

  /** The podcasts with a tag, by its slug or title in any letter case. */
  podcasts(tag: string): ReadonlySet<Url> {
    return this.#podcasts.get(createSlug(tag)) ?? new Set();
  }

  /** By usage, most first, then by slug. */
  top(limit: number): Tag[] {
    this.#top ??= [...this.#podcasts]
      .map(([tag, { size }]) => ({ tag, title: this.titles.get(tag)!, usage: size }))
      .filter(({ usage }) => usage > 0)
      .toSorted((a, b) => b.usage - a.usage || compareText(a.tag, b.tag));
    return this.#top.slice(0, limit).map((tag) => ({ ...tag }));
  }
}
