import { deserialize, serialize } from 'node:v8';
import { type Batch, mapInSlices } from '../../src/plugin.ts';

/** Batches with more keys are packed. */
const MANY_KEYS = 2000;
const KEYS_OF_PIECE = 500;

/** A batch, serialized in pieces: passing many keys to the thread at once would block the event loop. */
export type PackedBatch = readonly Uint8Array[];

export const isLarge = ({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): boolean =>
  check.length + set.length + deleted.length + sum.length > MANY_KEYS;

export function pack({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): Promise<PackedBatch> {
  const pieces: Batch[] = [];
  const count = Math.max(check.length, set.length, deleted.length, sum.length);
  for (let at = 0; at < count; at += KEYS_OF_PIECE) {
    const piece = <Item>(items: readonly Item[]): readonly Item[] => items.slice(at, at + KEYS_OF_PIECE);
    pieces.push({ check: piece(check), set: piece(set), delete: piece(deleted), sum: piece(sum) });
  }
  return mapInSlices(pieces, (piece) => serialize(piece));
}

export function unpack(batch: Batch | PackedBatch): Batch {
  if (!Array.isArray(batch)) return batch as Batch;
  const pieces = (batch as PackedBatch).map((piece) => deserialize(piece) as Required<Batch>);
  return {
    check: pieces.flatMap(({ check }) => check),
    set: pieces.flatMap(({ set }) => set),
    delete: pieces.flatMap((piece) => piece.delete),
    sum: pieces.flatMap(({ sum }) => sum),
  };
}
