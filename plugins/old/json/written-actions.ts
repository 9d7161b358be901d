import type { EpisodeAction } from '../../../src/old-plugin.ts';
import { type ActionColumns, fromColumns } from '../action-columns.ts';

/** Episode actions as they stand in the files. Early podsyncs wrote an object for each. */
export type WrittenActions = ActionColumns | EpisodeAction[];

export const readWritten = (written: WrittenActions): EpisodeAction[] =>
  Array.isArray(written) ? written : fromColumns(written);
