import type { ActionType, EpisodeAction, Seconds, Url } from '../../domain/types.ts';

/** A value for each action, or one value if all are the same: most uploads are of one device and one type. */
type Column<Value> = Value[] | Value;

/**
 * Episode actions of one upload in columns, as they are stored: one array per field, and each podcast once. As JSON this
 * takes half the space of an object per action, and half the time to write. `null`: the action does not have the field.
 */
export interface ActionColumns {
  /** Time of the upload. */
  at: Seconds;
  /** The podcasts of these actions. */
  podcasts: Url[];
  /** Indexes in `podcasts`. */
  podcast: Column<number>;
  episode: Url[];
  action: Column<ActionType>;
  /** `at` minus the timestamp, as V8 parses numbers of at most nine digits in half the time. */
  age: Column<Seconds>;
  device: Column<string | null>;
  guid: Column<string | null>;
  position: Column<Seconds | null>;
  started: Column<Seconds | null>;
  total: Column<Seconds | null>;
}

/** Actions of an upload at this time as columns; at least one action. */
export function toColumns(actions: readonly EpisodeAction[], at: Seconds): ActionColumns {
  const indexes = new Map<Url, number>();
  for (const { podcast } of actions) if (!indexes.has(podcast)) indexes.set(podcast, indexes.size);
  const list = <Value>(read: (action: EpisodeAction) => Value): Value[] => {
    // With `push`: `JSON.stringify` is slower on the arrays that `map` returns, as V8 expects holes in them.
    const values: Value[] = [];
    for (const action of actions) values.push(read(action));
    return values;
  };
  const column = <Value>(read: (action: EpisodeAction) => Value): Column<Value> => {
    const first = read(actions[0]!);
    return actions.every((action) => read(action) === first) ? first : list(read);
  };
  return {
    at,
    podcasts: [...indexes.keys()],
    podcast: column(({ podcast }) => indexes.get(podcast)!),
    episode: list(({ episode }) => episode),
    action: column(({ action }) => action),
    age: column(({ timestamp }) => at - timestamp),
    device: column(({ device }) => device ?? null),
    guid: column(({ guid }) => guid ?? null),
    position: column(({ play }) => play?.position ?? null),
    started: column(({ play }) => play?.started ?? null),
    total: column(({ play }) => play?.total ?? null),
  };
}

/** Undefined: the action does not have the field. */
const at = <Value>(column: Column<Value>, place: number): NonNullable<Value> | undefined =>
  (Array.isArray(column) ? column[place] : column) ?? undefined;

/** The actions in parsed `ActionColumns`. */
export const fromColumns = (columns: ActionColumns): EpisodeAction[] =>
  columns.episode.map((episode, place) => {
    // Assigned one by one: spreading optional fields takes three times as long.
    const action = { podcast: columns.podcasts[at(columns.podcast, place)!]!, episode } as EpisodeAction;
    const device = at(columns.device, place);
    if (device !== undefined) action.device = device;
    const guid = at(columns.guid, place);
    if (guid !== undefined) action.guid = guid;
    action.action = at(columns.action, place)!;
    action.timestamp = columns.at - at(columns.age, place)!;
    const position = at(columns.position, place);
    if (position !== undefined) {
      const started = at(columns.started, place);
      const total = at(columns.total, place);
      action.play = started !== undefined && total !== undefined ? { position, started, total } : { position };
    }
    return action;
  });
