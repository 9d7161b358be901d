import { isFinished, listenedIn } from '../../domain/listening.ts';
import { ACTION_TYPES, type ActionType, type EpisodeAction, type Seconds, type Url } from '../../domain/types.ts';

/** In the place of a number that an action lacks. */
const NONE = -1;

/** Texts by number, each once. */
class StringTable {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }
}

/**
 * The episode actions of an account in memory, a column of numbers for each field: a history of 100,000 takes some
 * megabytes. Rows are in the order of upload and never change, so a row number stands for its action for ever.
 */
export class ActionTable {
  readonly #podcasts = new StringTable();
  readonly #devices = new StringTable();
  /** By podcast, then by media URL. */
  readonly #episodes: Map<Url, number>[] = [];
  // by episode
  readonly #urls: Url[] = [];
  readonly #podcastOf: number[] = [];
  /** The length that was last reported. */
  readonly #totals: number[] = [];
  /** The row that says what became of the episode; -1 where none does. */
  readonly #states: number[] = [];
  /** The row that says how far it was played: the same, but for what was deleted since; -1 where none does. */
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
  /** By device: the time of its newest action. */
  readonly #lastActionAt: Seconds[] = [];
  /** Rows by the time at which the actions happened; those of one time in order of upload. */
  readonly #order: number[] = [];
  #characters = 0;

  /** How many actions. */
  get length(): number {
    return this.#times.length;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return 4096 + 64 * this.#times.length + 120 * this.#urls.length + this.#characters;
  }

  /** Podcasts and devices that were ever acted on, by their numbers. */
  get podcasts(): readonly Url[] {
    return this.#podcasts.texts;
  }
  get devices(): readonly string[] {
    return this.#devices.texts;
  }

  /** Listening time of each podcast that was ever acted on, by its URL as it was uploaded. */
  listenedTo(): Map<Url, Seconds> {
    return new Map(this.podcasts.map((url, at) => [url, this.#listened[at]!]));
  }

  /** Takes up actions that were uploaded after all that it has. */
  add(actions: readonly EpisodeAction[]): void {
    const first = this.length;
    for (const action of actions) this.#append(action);
    const { length } = this;
    this.#insert(Array.from({ length: length - first }, (_, at) => first + at));
  }

  #append({ podcast, episode, device, action, timestamp, play }: EpisodeAction): void {
    const row = this.length;
    const number = this.#episodeNumber(podcast, episode);
    this.#times.push(timestamp);
    this.#episode.push(number);
    const sender = device === undefined ? NONE : this.#devices.numberOf(device);
    this.#device.push(sender);
    if (sender !== NONE) this.#lastActionAt[sender] = Math.max(this.#lastActionAt[sender] ?? 0, timestamp);
    this.#type.push(ACTION_TYPES.indexOf(action));
    this.#position.push(play?.position ?? NONE);
    this.#started.push(play?.started ?? NONE);
    this.#total.push(play?.total ?? NONE);
    const home = this.#podcastOf[number]!;
    this.#listened[home] = (this.#listened[home] ?? 0) + this.listenedIn(row);
    if (play?.total) this.#totals[number] = play.total;
    // A download says nothing of how far it was played, nor does a play without a position.
    if (action === 'download' || (action === 'play' && !play)) return;
    this.#keepNewest(this.#states, number, row);
    if (action !== 'delete') this.#keepNewest(this.#plays, number, row);
  }

  /** By the time at which they happened; of several at one time the last that was uploaded. */
  #keepNewest(rows: number[], episode: number, row: number): void {
    const known = rows[episode]!;
    if (known === NONE || this.#times[known]! <= this.#times[row]!) rows[episode] = row;
  }

  #episodeNumber(podcast: Url, url: Url): number {
    const home = this.#podcasts.numberOf(podcast);
    const episodes = (this.#episodes[home] ??= new Map());
    const known = episodes.get(url);
    if (known !== undefined) return known;
    episodes.set(url, this.#urls.length);
    this.#podcastOf.push(home);
    this.#totals.push(NONE);
    this.#states.push(NONE);
    this.#plays.push(NONE);
    this.#characters += url.length;
    return this.#urls.push(url) - 1;
  }

  /** Puts rows into `#order`. Most are later than all before. */
  #insert(rows: number[]): void {
    if (rows.length === 0) return;
    const [order, times] = [this.#order, this.#times];
    rows.sort((a, b) => times[a]! - times[b]! || a - b);
    const later = order.splice(this.#placeOf(times[rows[0]!]! + 1));
    let next = 0;
    for (const row of rows) {
      while (next < later.length && times[later[next]!]! <= times[row]!) order.push(later[next++]!);
      order.push(row);
    }
    while (next < later.length) order.push(later[next++]!);
  }

  /** How many actions happened before a time, or at that time and before a row. */
  #placeOf(time: Seconds, row = 0): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.#order[middle]!;
      const isBefore = this.#times[at]! < time || (this.#times[at] === time && at < row);
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Rows that happened at `from` or later and before `until`, the oldest first. */
  between(from: Seconds, until: Seconds): readonly number[] {
    return this.#order.slice(this.#placeOf(from), this.#placeOf(until));
  }

  /** Rows before a place in time, the newest first; all of them without one. */
  *before(place?: Cursor): Generator<number, void, undefined> {
    const start = place ? this.#placeOf(place.time, place.row) : this.#order.length;
    for (let at = start - 1; at >= 0; at -= 1) yield this.#order[at]!;
  }

  /** Rows after a place in time, the oldest first. */
  *after(place: Cursor): Generator<number, void, undefined> {
    for (let at = this.#placeOf(place.time, place.row + 1); at < this.#order.length; at += 1) yield this.#order[at]!;
  }

  cursorAt(row: number): Cursor {
    return { time: this.#times[row]!, row };
  }

  timeOf(row: number): Seconds {
    return this.#times[row]!;
  }

  /** Number of the podcast. */
  podcastOf(row: number): number {
    return this.#podcastOf[this.#episode[row]!]!;
  }

  /** Number of the episode; means nothing outside this table. */
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

  /** The time of the newest action that names a device. */
  lastActionAt(device: string): Seconds | undefined {
    const number = this.#devices.find(device);
    return number === undefined ? undefined : this.#lastActionAt[number];
  }

  /** Whether anything but `new` was the last that happened to an episode, as far as is known. */
  isTouched(podcast: Url, episode: Url): boolean {
    const number = this.episodesOf(podcast).get(episode);
    const state = number === undefined ? undefined : this.stateOf(number);
    return state !== undefined && state.action !== 'new';
  }

  /** Numbers of the episodes of a podcast that were ever acted on, by media URL. */
  episodesOf(podcast: Url): ReadonlyMap<Url, number> {
    const home = this.#podcasts.find(podcast);
    return (home === undefined ? undefined : this.#episodes[home]) ?? new Map<Url, number>();
  }

  /** What became of an episode; undefined where no action says. */
  stateOf(episode: number): EpisodeState | undefined {
    const [row, play] = [this.#states[episode]!, this.#plays[episode]!];
    if (row === NONE) return undefined;
    return {
      action: this.typeOf(row) as EpisodeState['action'],
      at: this.#times[row]!,
      position: play === NONE ? 0 : Math.max(0, this.#position[play]!),
      total: this.#totals[episode]! > 0 ? this.#totals[episode] : undefined,
    };
  }

  /**
   * Up to so many episodes that were inProgress and not finished, the last played first. One that was marked as new or
   * deleted since is none of them.
   */
  inProgress(limit: number): EpisodeInProgress[] {
    const inProgress: EpisodeInProgress[] = [];
    for (let place = this.length - 1; place >= 0 && inProgress.length < limit; place -= 1) {
      const row = this.#order[place]!;
      const episode = this.#episode[row]!;
      if (this.#states[episode] !== row || this.typeOf(row) !== 'play') continue;
      const position = this.#position[row]!;
      const total = this.#totals[episode]!;
      if (position <= 0 || isFinished(position, total)) continue;
      const { podcast, episode: url, device, timestamp } = this.actionAt(row);
      const length = total > 0 ? total : undefined;
      inProgress.push({ podcast, url, device, playedAt: timestamp, position, total: length });
    }
    return inProgress;
  }
}

/** A place in the history: cursors say it as `time-row`. */
export interface Cursor {
  time: Seconds;
  row: number;
}

export interface EpisodeState {
  /** What happened last, downloads aside. */
  action: Exclude<ActionType, 'download'>;
  at: Seconds;
  /** Where the last play stopped; 0 where none says, or after it was marked as new. Seconds. */
  position: Seconds;
  /** Its length, where an app reported it. */
  total: Seconds | undefined;
}

export interface EpisodeInProgress {
  podcast: Url;
  url: Url;
  device: string | undefined;
  playedAt: Seconds;
  /** Seconds. */
  position: Seconds;
  /** Its length, where an app reported it. */
  total: Seconds | undefined;
}
