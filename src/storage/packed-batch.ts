import { deserialize, serialize } from 'node:v8';
import { inBatches } from '../batches.ts';
import { eachInSlices } from '../slices.ts';
import { mergeBatches } from './batch.ts';
import type { Batch } from './contract.ts';

/** Characters. Larger batches are packed, in pieces of about this size. */
const PIECE = 256 * 1024;
/** Characters of a key with its version. */
const KEY = 64;

/** Serialized pieces of a batch. */
export type PackedBatch = ArrayBuffer[];

/**
 * Packs a batch, unless it is small: serializing or copying a large one in one go, as for any message to a thread, would
 * block the event loop.
 */
export async function packBatch(batch: Batch): Promise<Batch | PackedBatch> {
  const { check = [], set = [], delete: deleted = [] } = batch;
  const keys = check.length + set.length + deleted.length;
  const size = set.reduce((sum, [, { length }]) => sum + length, keys * KEY);
  if (size <= PIECE) return batch;
  const pieces: PackedBatch = [];
  await eachInSlices(split(batch, Math.ceil((PIECE / size) * keys)), (piece) => pieces.push(serialize(piece).buffer));
  return pieces;
}

function* split({ check = [], set = [], delete: deleted = [] }: Batch, count: number): Iterable<Batch> {
  for (const items of inBatches(check, count)) yield { check: items };
  for (const items of inBatches(set, count)) yield { set: items };
  for (const items of inBatches(deleted, count)) yield { delete: items };
}

/** What `packBatch` has resolved to, as a batch again. */
export const unpackBatch = (batch: Batch | PackedBatch): Batch =>
  Array.isArray(batch) ? mergeBatches(batch.map((piece) => deserialize(Buffer.from(piece)) as Batch)) : batch;
