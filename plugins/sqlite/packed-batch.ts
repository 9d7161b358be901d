import { deserialize, serialize } from 'node:v8';
import { type Batch, mapInSlices, mergeBatches } from '../../src/plugin.ts';

/** Batches with more keys are packed. */
const MANY_KEYS = 2000;
const KEYS_PER_CHUNK = 500;

/** A batch, serialized in chunks: passing many keys to the thread at once would block the event loop. */
export type PackedBatch = readonly Uint8Array[];

/** Packs a batch, unless it is short. */
export async function pack(batch: Batch): Promise<Batch | PackedBatch> {
  const { check = [], set = [], delete: deleted = [] } = batch;
  const lengths = [check.length, set.length, deleted.length];
  if (lengths.reduce((total, length) => total + length) <= MANY_KEYS) return batch;
  const chunks: Batch[] = [];
  for (let at = 0; at < Math.max(...lengths); at += KEYS_PER_CHUNK) {
    const chunk = <Item>(items: readonly Item[]): readonly Item[] => items.slice(at, at + KEYS_PER_CHUNK);
    chunks.push({ check: chunk(check), set: chunk(set), delete: chunk(deleted) });
  }
  return mapInSlices(chunks, (chunk) => serialize(chunk));
}

export const unpack = (batch: Batch | PackedBatch): Batch =>
  Array.isArray(batch) ? mergeBatches(batch.map((chunk) => deserialize(chunk))) : (batch as Batch);
