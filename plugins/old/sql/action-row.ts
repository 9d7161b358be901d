import type { ActionQuery, ActionType, EpisodeAction, Seconds, Stamp, Url } from '../../../src/old-plugin.ts';

/** What is asked of a history. */
export interface HistoryQuery extends Omit<ActionQuery, 'subscribedOn'> {
  /** Only actions on these. */
  podcasts?: readonly Url[];
}

/** Where an action stands in the order of upload. */
export interface Place {
  stamp: Stamp;
  place: number;
}

/** `Text` is how the tables hold a text that a client may have cut in half. */
export interface ActionRow<Text = string> extends Place {
  podcast: Url;
  episode: Url;
  device: string | null;
  guid: Text | null;
  action: ActionType;
  timestamp: Seconds;
  position: number | null;
  started: number | null;
  total: number | null;
  uploaded_at: Seconds;
}

/** An action with its stamp and the time of its upload. */
export interface StoredAction {
  action: EpisodeAction;
  stamp: Stamp;
  uploadedAt: Seconds;
}

/** `guid`: that of the row, as the client sent it. */
export function toAction(row: ActionRow<unknown>, guid: string | null): EpisodeAction {
  const { position, started, total } = row;
  return {
    podcast: row.podcast,
    episode: row.episode,
    ...(row.device !== null && { device: row.device }),
    ...(guid !== null && { guid }),
    action: row.action,
    timestamp: row.timestamp,
    ...(position !== null && { play: { position, ...(started !== null && total !== null && { started, total }) } }),
  };
}
