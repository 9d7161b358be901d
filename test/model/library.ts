/** An episode action as it is uploaded; every one is of an episode of its own, so that deliveries can be told apart. */
export interface Action {
  podcast: string;
  episode: string;
  device: string;
  action: string;
  timestamp: string;
  [more: string]: unknown;
}

export interface Delta {
  add: string[];
  remove: string[];
}

/** What is on a device, and what of it the server has not heard yet. */
export class Library {
  readonly subscriptions = new Set<string>();
  /** Whether it is subscribed now, for each feed the user touched since the last upload. */
  readonly #changes = new Map<string, boolean>();
  #actions: Action[] = [];

  toggle(feed: string): void {
    const subscribed = !this.subscriptions.has(feed);
    this.#set(feed, subscribed);
    this.#changes.set(feed, subscribed);
  }

  listen(actions: readonly Action[]): void {
    this.#actions.push(...actions);
  }

  /** What the server tells gives way to what the user did meanwhile. */
  take({ add, remove }: Delta): void {
    for (const feed of add) if (!this.#changes.has(feed)) this.#set(feed, true);
    for (const feed of remove) if (!this.#changes.has(feed)) this.#set(feed, false);
  }

  #set(feed: string, subscribed: boolean): void {
    if (subscribed) this.subscriptions.add(feed);
    else this.subscriptions.delete(feed);
  }

  get changes(): Delta {
    const feeds = (wanted: boolean): string[] =>
      [...this.#changes].filter(([, subscribed]) => subscribed === wanted).map(([feed]) => feed);
    return { add: feeds(true), remove: feeds(false) };
  }

  get actions(): readonly Action[] {
    return [...this.#actions];
  }

  get isUploaded(): boolean {
    return this.#changes.size === 0 && this.#actions.length === 0;
  }

  changesUploaded({ add, remove }: Delta): void {
    for (const feed of add) if (this.#changes.get(feed) === true) this.#changes.delete(feed);
    for (const feed of remove) if (this.#changes.get(feed) === false) this.#changes.delete(feed);
  }

  actionsUploaded(actions: readonly Action[]): void {
    this.#actions = this.#actions.filter((action) => !actions.includes(action));
  }
}
