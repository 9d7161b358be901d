import { isFinished, listenedIn } from '../../domain/listening.ts';
import { ACTION_TYPES, type ActionType, type EpisodeAction, type Seconds, type Url } from '../../domain/types.ts';
import type { EpisodeReference } from '../directory/episode-names.ts';
import { StringTable } from './string-table.ts';

/** Stands for a missing number. */
const NONE = -1;

/**
 * The episode actions of an account in memory, as columns of numbers: 100,000 actions take some megabytes. Rows are in
 * upload order and never change, so a row number identifies its action permanently.
 */
export class ActionTable {
  readonly #podcasts = new StringTable();
  readonly #devices = new StringTable();
  /** By podcast, then by media URL. */
  readonly #episodes: Map<Url, number>[] = [];
  // by episode
  readonly #urls: Url[] = [];
  /** The most recently reported GUID. */
  readonly #guids: (string | undefined)[] = [];
  readonly #podcastOf: number[] = [];
  /** The most recently reported length. */
  readonly #totals: number[] = [];
  /** The row with the current state of the episode; -1 if there is none. */
  readonly #states: number[] = [];
  /** The row with the position of the episode: the same row, ignoring deletions; -1 if there is none. */
  readonly #plays: number[] = [];
  // by row
  readonly #times: Seconds[] = [];
  readonly #episode: number[] = [];
  readonly #device: number[] = [];
  readonly #type: number[] = [];
  readonly #position: number[] = [];
  readonly #started: number[] = [];
  readonly #total: number[] = [];
  /** By podcast: listening time of all its plays. */
  readonly #listened: Seconds[] = [];
  /** Rows by the time of their actions, then in upload order. */
  readonly #order: number[] = [];
  #characters = 0;

  /** Number of actions. */
  get length(): number {
    return this.#times.length;
  }

  /** Approximate memory use. */
  get bytes(): number {
    return 4096 + 64 * this.#times.length + 120 * this.#urls.length + this.#characters;
  }

  /** Podcasts and devices of all actions, by number. */
  get podcasts(): readonly Url[] {
    return this.#podcasts.texts;
  }
  get devices(): readonly string[] {
    return this.#devices.texts;
  }

  /** Listening time of each podcast with actions, by its URL as uploaded. */
  listenedTo(): Map<Url, Seconds> {
    return new Map(this.podcasts.map((url, at) => [url, this.#listened[at]!]));
  }

  /** Appends actions that were uploaded after all existing ones. */
  add(actions: readonly EpisodeAction[]): void {
    const first = this.length;
    for (const action of actions) this.#append(action);
    const { length } = this;
    this.#insert(Array.from({ length: length - first }, (_, at) => first + at));
  }

  #append({ podcast, episode, device, guid, action, timestamp, play }: EpisodeAction): void {
    const row = this.length;
    const number = this.#episodeNumber(podcast, episode);
    if (guid !== undefined && guid !== this.#guids[number]) {
      this.#guids[number] = guid;
      this.#characters += guid.length;
    }
    this.#times.push(timestamp);
    this.#episode.push(number);
    this.#device.push(device === undefined ? NONE : this.#devices.numberOf(device));
    this.#type.push(ACTION_TYPES.indexOf(action));
    this.#position.push(play?.position ?? NONE);
    this.#started.push(play?.started ?? NONE);
    this.#total.push(play?.total ?? NONE);
    const podcastNumber = this.#podcastOf[number]!;
    this.#listened[podcastNumber] = (this.#listened[podcastNumber] ?? 0) + this.listenedIn(row);
    if (play?.total) this.#totals[number] = play.total;
    // Neither a download nor a play without a position changes how far the episode was played.
    if (action === 'download' || (action === 'play' && !play)) return;
    this.#states[number] = this.#newer(this.#states[number]!, row);
    if (action !== 'delete') this.#plays[number] = this.#newer(this.#plays[number]!, row);
  }

  /** The row with the newer action; of two at the same time, the one uploaded last. */
  #newer(a: number, b: number): number {
    if (a === NONE || b === NONE) return Math.max(a, b);
    return (this.#times[a]! - this.#times[b]! || a - b) > 0 ? a : b;
  }

  #episodeNumber(podcast: Url, url: Url): number {
    const podcastNumber = this.#podcasts.numberOf(podcast);
    const episodes = (this.#episodes[podcastNumber] ??= new Map());
    const known = episodes.get(url);
    if (known !== undefined) return known;
    episodes.set(url, this.#urls.length);
    this.#podcastOf.push(podcastNumber);
    this.#guids.push(undefined);
    this.#totals.push(NONE);
    this.#states.push(NONE);
    this.#plays.push(NONE);
    this.#characters += url.length;
    return this.#urls.push(url) - 1;
  }

  /** Inserts rows into `#order`. Most are later than all existing ones. */
  #insert(rows: number[]): void {
    if (rows.length === 0) return;
    const [order, times] = [this.#order, this.#times];
    rows.sort((a, b) => times[a]! - times[b]! || a - b);
    const later = order.splice(this.#countBefore(times[rows[0]!]! + 1));
    let next = 0;
    for (const row of rows) {
      while (next < later.length && times[later[next]!]! <= times[row]!) order.push(later[next++]!);
      order.push(row);
    }
    while (next < later.length) order.push(later[next++]!);
  }

  /** The number of actions before a time. */
  #countBefore(time: Seconds): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[this.#order[middle]!]! < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Rows with a time of `from` or later and before `until`, the oldest first, then in upload order. */
  rows(from: Seconds = 0, until: Seconds = Infinity): readonly number[] {
    return this.#order.slice(this.#countBefore(from), this.#countBefore(until));
  }

  /** Up to `limit` podcasts, those with the most recent actions by their time. */
  recentPodcasts(limit: number): readonly Url[] {
    if (this.podcasts.length <= limit) return this.podcasts;
    const numbers = new Set<number>();
    for (let at = this.length - 1; numbers.size < limit; at -= 1) numbers.add(this.podcastOf(this.#order[at]!));
    return Array.from(numbers, (number) => this.podcasts[number]!);
  }

  timeOf(row: number): Seconds {
    return this.#times[row]!;
  }

  /** Number of the podcast. */
  podcastOf(row: number): number {
    return this.#podcastOf[this.#episode[row]!]!;
  }

  /** Number of the episode, valid only within this table. */
  episodeOf(row: number): number {
    return this.#episode[row]!;
  }

  /** Number of the device, -1 without one. */
  deviceOf(row: number): number {
    return this.#device[row]!;
  }

  typeOf(row: number): ActionType {
    return ACTION_TYPES[this.#type[row]!]!;
  }

  /** Listening time of an action. */
  listenedIn(row: number): Seconds {
    const started = this.#started[row]!;
    return started === NONE ? 0 : listenedIn({ position: this.#position[row]!, started });
  }

  /** Whether an action is a play that reached the end of its episode. */
  isFinish(row: number): boolean {
    const position = this.#position[row]!;
    return position !== NONE && isFinished(position, this.#total[row]!);
  }

  actionAt(row: number): EpisodeAction {
    const episode = this.#episode[row]!;
    const [position, started, total] = [this.#position[row]!, this.#started[row]!, this.#total[row]!];
    const device = this.#device[row]!;
    return {
      podcast: this.podcasts[this.#podcastOf[episode]!]!,
      episode: this.#urls[episode]!,
      ...(device !== NONE && { device: this.devices[device]! }),
      action: this.typeOf(row),
      timestamp: this.#times[row]!,
      ...(position !== NONE && { play: { position, ...(started !== NONE && { started, total }) } }),
    };
  }

  deviceNumber(id: string): number | undefined {
    return this.#devices.find(id);
  }

  /** Numbers of the episodes of a podcast that have actions, by media URL. */
  episodesOf(podcast: Url): ReadonlyMap<Url, number> {
    const number = this.#podcasts.find(podcast);
    return (number === undefined ? undefined : this.#episodes[number]) ?? new Map<Url, number>();
  }

  /** The GUID that actions have for an episode; undefined if none has one. */
  guidOf(podcast: Url, episode: Url): string | undefined {
    const number = this.episodesOf(podcast).get(episode);
    return number === undefined ? undefined : this.#guids[number];
  }

  /** How actions name the episode with this number. */
  referenceOf(episode: number): EpisodeReference {
    const podcast = this.podcasts[this.#podcastOf[episode]!]!;
    return { podcast, episode: this.#urls[episode]!, guid: this.#guids[episode] };
  }

  /**
   * The current state of an episode, which may have several numbers: see `ActedEpisode`. Undefined if no action
   * determines it.
   */
  stateOf(numbers: readonly number[]): EpisodeState | undefined {
    const newest = (rows: readonly number[]): number =>
      numbers.reduce((row, number) => this.#newer(row, rows[number]!), NONE);
    const [row, play] = [newest(this.#states), newest(this.#plays)];
    if (row === NONE) return undefined;
    const number = this.#episode[row]!;
    return {
      number,
      action: this.typeOf(row) as EpisodeState['action'],
      device: this.devices[this.#device[row]!],
      at: this.#times[row]!,
      position: play === NONE ? 0 : Math.max(0, this.#position[play]!),
      total: [number, ...numbers].map((each) => this.#totals[each]!).find((total) => total > 0),
    };
  }

  /**
   * Up to `limit` numbers under which an episode was started and not finished, the most recently played first. It may have
   * been finished, deleted or marked as new under another one.
   */
  inProgress(limit: number): number[] {
    const inProgress: number[] = [];
    for (let at = this.length - 1; at >= 0 && inProgress.length < limit; at -= 1) {
      const row = this.#order[at]!;
      const episode = this.#episode[row]!;
      if (this.#states[episode] !== row) continue;
      const position = this.#position[row]!; // only a play has one
      if (position > 0 && !isFinished(position, this.#totals[episode]!)) inProgress.push(episode);
    }
    return inProgress;
  }
}

export interface EpisodeState {
  /** Its number in the last of these actions. */
  number: number;
  /** The last action that was not a download. */
  action: Exclude<ActionType, 'download'>;
  device: string | undefined;
  at: Seconds;
  /** Where the last play stopped; 0 if unknown or after the episode was marked as new. Seconds. */
  position: Seconds;
  /** Its length, if an app reported it. */
  total: Seconds | undefined;
}
