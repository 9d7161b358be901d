import { deserialize, serialize } from 'node:v8';
import { type Batch, mapInSlices } from '../../src/plugin.ts';

/** Batches with more keys are packed. */
const MANY_KEYS = 2000;
const KEYS_PER_CHUNK = 500;

/** A batch, serialized in chunks: passing many keys to the thread at once would block the event loop. */
export type PackedBatch = readonly Uint8Array[];

export const isLarge = ({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): boolean =>
  check.length + set.length + deleted.length + sum.length > MANY_KEYS;

export function pack({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): Promise<PackedBatch> {
  const chunks: Batch[] = [];
  const count = Math.max(check.length, set.length, deleted.length, sum.length);
  for (let at = 0; at < count; at += KEYS_PER_CHUNK) {
    const chunk = <Item>(items: readonly Item[]): readonly Item[] => items.slice(at, at + KEYS_PER_CHUNK);
    chunks.push({ check: chunk(check), set: chunk(set), delete: chunk(deleted), sum: chunk(sum) });
  }
  return mapInSlices(chunks, (chunk) => serialize(chunk));
}

export function unpack(batch: Batch | PackedBatch): Batch {
  if (!Array.isArray(batch)) return batch as Batch;
  const chunks = (batch as PackedBatch).map((chunk) => deserialize(chunk) as Required<Batch>);
  return {
    check: chunks.flatMap(({ check }) => check),
    set: chunks.flatMap(({ set }) => set),
    delete: chunks.flatMap((chunk) => chunk.delete),
    sum: chunks.flatMap(({ sum }) => sum),
  };
}
