import type { ActionType, EpisodeAction, Seconds, Url } from '../domain/types.ts';

/** What each action has, or once what all have: an upload is mostly of one device, and of one kind. */
type Column<Value> = Value[] | Value;

/**
 * Episode actions as they are written as JSON: a list for each field, so that its name is there once. That takes two
 * fifths less room than an object for each, and half the time to write. `null` is what an action lacks.
 */
export interface ActionColumns {
  podcast: Url[];
  episode: Url[];
  action: Column<ActionType>;
  timestamp: Seconds[];
  device: Column<string | null>;
  guid: Column<string | null>;
  position: Column<Seconds | null>;
  started: Column<Seconds | null>;
  total: Column<Seconds | null>;
}

/** Episode actions as JSON text, of `ActionColumns`. */
export const writeActions = (actions: readonly EpisodeAction[]): string => JSON.stringify(toColumns(actions));

/** Reads what `writeActions` wrote. */
export const readActions = (json: string): EpisodeAction[] => fromColumns(JSON.parse(json) as ActionColumns);

/** The actions as columns. */
export function toColumns(actions: readonly EpisodeAction[]): ActionColumns {
  // By `push`: of what `map` answers V8 takes the elements one by one to write them, as there could be holes.
  const podcast: Url[] = [];
  const episode: Url[] = [];
  const type: ActionType[] = [];
  const timestamp: Seconds[] = [];
  const device: (string | null)[] = [];
  const guid: (string | null)[] = [];
  const position: (Seconds | null)[] = [];
  const started: (Seconds | null)[] = [];
  const total: (Seconds | null)[] = [];
  for (const action of actions) {
    podcast.push(action.podcast);
    episode.push(action.episode);
    type.push(action.action);
    timestamp.push(action.timestamp);
    device.push(action.device ?? null);
    guid.push(action.guid ?? null);
    position.push(action.play?.position ?? null);
    started.push(action.play?.started ?? null);
    total.push(action.play?.total ?? null);
  }
  return {
    podcast,
    episode,
    action: toColumn(type),
    timestamp,
    device: toColumn(device),
    guid: toColumn(guid),
    position: toColumn(position),
    started: toColumn(started),
    total: toColumn(total),
  };
}

const toColumn = <Value>(values: Value[]): Column<Value> =>
  values.every((value) => value === values[0]) ? values[0]! : values;

/** Undefined is what an action lacks. */
const at = <Value>(column: Column<Value>, place: number): NonNullable<Value> | undefined =>
  (Array.isArray(column) ? column[place] : column) ?? undefined;

/** The actions in parsed `ActionColumns`. */
export function fromColumns(columns: ActionColumns): EpisodeAction[] {
  const actions: EpisodeAction[] = [];
  for (const [place, podcast] of columns.podcast.entries()) {
    // One member after the other: to spread those that may be missing takes three times as long.
    const action = { podcast, episode: columns.episode[place]! } as EpisodeAction;
    const device = at(columns.device, place);
    if (device !== undefined) action.device = device;
    const guid = at(columns.guid, place);
    if (guid !== undefined) action.guid = guid;
    action.action = at(columns.action, place)!;
    action.timestamp = columns.timestamp[place]!;
    const position = at(columns.position, place);
    if (position !== undefined) {
      const started = at(columns.started, place);
      const total = at(columns.total, place);
      action.play = started !== undefined && total !== undefined ? { position, started, total } : { position };
    }
    actions.push(action);
  }
  return actions;
}
