import { DefaultDeserializer, DefaultSerializer } from 'node:v8';
import { type Batch, eachInSlices } from '../../src/plugin.ts';

/** Batches with more keys, or more characters in their values, are packed. */
const MANY_KEYS = 2000;
const MANY_CHARACTERS = 512 * 1024;

/** A serialized batch: serializing a large one in one go, as for any message to the thread, would block the event loop. */
export type PackedBatch = Uint8Array;

/** Packs a batch, unless it is small. */
export async function pack(batch: Batch): Promise<Batch | PackedBatch> {
  const { check = [], set = [], delete: deleted = [] } = batch;
  const keys = check.length + set.length + deleted.length;
  if (keys <= MANY_KEYS && set.reduce((sum, [, { length }]) => sum + length, 0) <= MANY_CHARACTERS) return batch;
  const serializer = new DefaultSerializer();
  serializer.writeHeader();
  for (const items of [check, set, deleted]) {
    serializer.writeUint32(items.length);
    await eachInSlices<unknown>(items, (item) => serializer.writeValue(item));
  }
  return serializer.releaseBuffer();
}

export function unpack(batch: Batch | PackedBatch): Batch {
  if (!(batch instanceof Uint8Array)) return batch;
  const deserializer = new DefaultDeserializer(batch);
  deserializer.readHeader();
  const read = (): any[] => Array.from({ length: deserializer.readUint32() }, () => deserializer.readValue());
  return { check: read(), set: read(), delete: read() };
}
