import type { EpisodeAction, Seconds } from '../../../src/old-plugin.ts';
import { type ActionColumns, readActions, toColumns } from '../action-columns.ts';
import type { WrittenActions } from './written-actions.ts';

/** The most actions in one text. */
export const TEXT_LENGTH = 1000;

/** Some actions as JSON, the way they stand in the journal and in the history's files. */
export interface ActionText {
  count: number;
  /** See `writeActions`. */
  json: string;
}

/** Actions uploaded together, and their JSON, which is made only once: nothing else in an upload costs as much. */
export class ActionBatch {
  readonly texts: readonly ActionText[];
  /** When the newest of them happened. */
  readonly newest: Seconds;
  #actions: readonly EpisodeAction[] | undefined;

  private constructor(portions: readonly ActionColumns[], actions?: readonly EpisodeAction[]) {
    this.texts = portions.map((columns) => ({ count: columns.podcast.length, json: JSON.stringify(columns) }));
    this.newest = portions.reduce((latest, { timestamp }) => timestamp.reduce(later, latest), 0);
    this.#actions = actions;
  }

  static of(actions: readonly EpisodeAction[]): ActionBatch {
    return new ActionBatch([...portionsOf(actions)].map(toColumns), actions);
  }

  /** From the texts, parsed. */
  static read(texts: readonly WrittenActions[]): ActionBatch {
    return new ActionBatch(texts.map((written) => (Array.isArray(written) ? toColumns(written) : written)));
  }

  get actions(): readonly EpisodeAction[] {
    this.#actions ??= this.texts.flatMap(({ json }) => readActions(json));
    return this.#actions;
  }

  /** Left out of the JSON of a change: the journal has the texts beside it. */
  toJSON(): undefined {
    return undefined;
  }
}

function* portionsOf(actions: readonly EpisodeAction[]): Iterable<readonly EpisodeAction[]> {
  for (let at = 0; at < actions.length; at += TEXT_LENGTH) yield actions.slice(at, at + TEXT_LENGTH);
}

const later = (one: Seconds, other: Seconds): Seconds => Math.max(one, other);
