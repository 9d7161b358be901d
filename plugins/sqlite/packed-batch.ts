import { deserialize, serialize } from 'node:v8';
import { type Batch, mapInSlices, mergeBatches } from '../../src/plugin.ts';

/** Batches with more keys, or more characters in their values, are packed. */
const MANY_KEYS = 2000;
const MANY_CHARACTERS = 512 * 1024;
const KEYS_PER_CHUNK = 500;

/** A batch, serialized in chunks: passing all of a large one to the thread at once would block the event loop. */
export type PackedBatch = readonly Uint8Array<ArrayBuffer>[];

/** Packs a batch, unless it is small. */
export async function pack(batch: Batch): Promise<Batch | PackedBatch> {
  const { check = [], set = [], delete: deleted = [] } = batch;
  const isSmall =
    check.length + set.length + deleted.length <= MANY_KEYS &&
    set.reduce((total, [, value]) => total + value.length, 0) <= MANY_CHARACTERS;
  return isSmall ? batch : mapInSlices(chunksOf(batch), (chunk) => serialize(chunk) as Uint8Array<ArrayBuffer>);
}

/** A chunk has one value, or as many as fit. */
function* chunksOf({ check = [], set = [], delete: deleted = [] }: Batch): Iterable<Batch> {
  for (let at = 0; at < check.length; at += KEYS_PER_CHUNK) yield { check: check.slice(at, at + KEYS_PER_CHUNK) };
  for (let at = 0; at < deleted.length; at += KEYS_PER_CHUNK) yield { delete: deleted.slice(at, at + KEYS_PER_CHUNK) };
  let from = 0;
  let characters = 0;
  for (const [at, [, value]] of set.entries()) {
    characters += value.length;
    if (at > from && (at - from === KEYS_PER_CHUNK || characters > MANY_CHARACTERS)) {
      yield { set: set.slice(from, at) };
      from = at;
      characters = value.length;
    }
  }
  if (from < set.length) yield { set: set.slice(from) };
}

/** Memory that can be moved to the thread: a serialized chunk has it for itself. */
export const memoryOf = (batch: Batch | PackedBatch): ArrayBuffer[] =>
  isPacked(batch) ? batch.map(({ buffer }) => buffer) : [];

export const unpack = (batch: Batch | PackedBatch): Batch =>
  isPacked(batch) ? mergeBatches(batch.map((chunk) => deserialize(chunk))) : batch;

const isPacked = (batch: Batch | PackedBatch): batch is PackedBatch => Array.isArray(batch);
