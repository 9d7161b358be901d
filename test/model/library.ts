/** An episode action as uploaded. Each has another episode, which identifies it. */
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

/** The subscriptions of a device, and its changes and actions that are not uploaded yet. */
export class Library {
  readonly subscriptions = new Set<string>();
  /** Whether it is subscribed now, for each feed that the user changed since the last upload. */
  readonly #changes = new Map<string, boolean>();
  #actions: Action[] = [];

  toggle(feed: string): void {
    const subscribed = !this.subscriptions.has(feed);
    this.#set(feed, subscribed);
    this.#changes.set(feed, subscribed);
  }

  addActions(actions: readonly Action[]): void {
    this.#actions.push(...actions);
  }

  /** Applies the changes of the server, except to feeds that the user has changed meanwhile. */
  apply({ add, remove }: Delta): void {
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

  markChangesUploaded({ add, remove }: Delta): void {
    for (const feed of add) if (this.#changes.get(feed) === true) this.#changes.delete(feed);
    for (const feed of remove) if (this.#changes.get(feed) === false) this.#changes.delete(feed);
  }

  markActionsUploaded(actions: readonly Action[]): void {
    this.#actions = this.#actions.filter((action) => !actions.includes(action));
  }
}
