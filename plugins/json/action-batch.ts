import type { EpisodeAction, Seconds } from '../../src/plugin.ts';
import { writeActions } from '../action-columns.ts';

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
  readonly actions: readonly EpisodeAction[];
  readonly texts: readonly ActionText[];

  constructor(actions: readonly EpisodeAction[]) {
    this.actions = actions;
    this.texts = [...portionsOf(actions)].map((portion) => ({
      count: portion.length,
      json: writeActions(portion),
    }));
  }

  /** When the newest of them happened. */
  get newest(): Seconds {
    return this.actions.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0);
  }

  /** Left out of the JSON of a change: the journal has the texts beside it. */
  toJSON(): undefined {
    return undefined;
  }
}

function* portionsOf(actions: readonly EpisodeAction[]): Iterable<readonly EpisodeAction[]> {
  for (let at = 0; at < actions.length; at += TEXT_LENGTH) yield actions.slice(at, at + TEXT_LENGTH);
}
