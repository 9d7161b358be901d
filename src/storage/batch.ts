import { eachInSlices } from '../slices.ts';
import { type Batch, type Key, MAX_KEY_BYTES, MAX_VALUE_BYTES, type Value, type Version } from './contract.ts';
import { StorageError } from './errors.ts';

/** Printable ASCII. */
const KEY = /^[ -~]+$/;
/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES_A_UNIT = 3;

/**
 * Rejects with `full` for a key or value beyond the bounds of the contract, which no plugin has to accept, and with an
 * Error for a key that is checked or changed twice. Callers must check their input before they build a batch.
 */
export const checkBatch = (batch: Batch): Promise<void> => eachInSlices(checks(batch));

/** Checks one key after the other. */
function* checks({ check = [], set = [], delete: deleted = [] }: Batch): Iterable<void> {
  const checkChecked = checkOnce('checks');
  const checkChanged = checkOnce('changes');
  for (const [key] of check) yield checkChecked(key);
  for (const [key, value] of set) {
    checkChanged(key);
    yield checkValue(key, value);
  }
  for (const key of deleted) yield checkChanged(key);
}

/** Checks keys of which none may occur twice. */
function checkOnce(verb: 'checks' | 'changes'): (key: Key) => void {
  const seen = new Set<Key>();
  return (key) => {
    checkKey(key);
    if (seen.has(key)) throw new Error(`a batch ${verb} ${key} twice`);
    seen.add(key);
  };
}

function checkKey(key: Key): void {
  if (KEY.test(key) && key.length <= MAX_KEY_BYTES) return;
  const start = JSON.stringify(key.slice(0, 60));
  throw tooLarge(`a key must be 1 to ${MAX_KEY_BYTES} printable ASCII characters; ${start} has ${key.length}`);
}

function checkValue(key: Key, value: Value): void {
  if (value.length * MAX_BYTES_A_UNIT <= MAX_VALUE_BYTES) return;
  const size = Buffer.byteLength(value);
  if (size > MAX_VALUE_BYTES) throw tooLarge(`the value of ${key} has ${size} bytes, more than ${MAX_VALUE_BYTES}`);
}

const tooLarge = (what: string): StorageError => new StorageError('full', `too large for the storage: ${what}`);

/** All of several batches, as one. No key may be changed by two of them. */
export function mergeBatches(batches: readonly Batch[]): Required<Batch> {
  const check: (readonly [Key, Version])[] = [];
  const set: (readonly [Key, Value])[] = [];
  const deleted: Key[] = [];
  // `flatMap` takes several times as long, and each write of an account is merged.
  for (const batch of batches) {
    for (const each of batch.check ?? []) check.push(each);
    for (const each of batch.set ?? []) set.push(each);
    for (const key of batch.delete ?? []) deleted.push(key);
  }
  return { check, set, delete: deleted };
}
