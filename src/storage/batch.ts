import type { Batch } from './contract.ts';

/** All of several batches, as one. */
export const mergeBatches = (batches: readonly Batch[]): Batch => ({
  check: batches.flatMap(({ check = [] }) => check),
  set: batches.flatMap(({ set = [] }) => set),
  delete: batches.flatMap((batch) => batch.delete ?? []),
});
