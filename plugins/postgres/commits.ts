import { setImmediate } from 'node:timers/promises';
import { type Batch, type Key, type KeyValueStore, mergeBatches, type Version } from '../../src/plugin.ts';

/** Limits of a group, in keys and in characters of values; beyond them, another group is sent concurrently. */
const MAX_KEYS = 30;
const MAX_LENGTH = 500_000;

/** Batches of one turn of the event loop, without a key in common. */
interface Group {
  batches: Batch[];
  keys: Set<Key>;
  length: number;
  committed: Promise<Version | undefined>;
}

type Commit = KeyValueStore['commit'];

/**
 * Creates a `commit` whose calls in the same turn of the event loop share a transaction if they have no key in common,
 * which halves the work. If one of their checks fails, each batch is committed separately.
 */
export function shareCommits(commit: Commit): Commit {
  let groups: Group[] = [];

  const start = (): Group => {
    const group: Group = { batches: [], keys: new Set(), length: 0, committed: setImmediate().then(() => send(group)) };
    groups.push(group);
    return group;
  };
  const send = (group: Group): Promise<Version | undefined> => {
    groups = groups.filter((each) => each !== group);
    return commit(group.batches.length === 1 ? group.batches[0]! : mergeBatches(group.batches));
  };

  return async (batch) => {
    const keys = keysOf(batch);
    const length = (batch.set ?? []).reduce((sum, [, value]) => sum + value.length, 0);
    const fits = (group: Group): boolean =>
      group.keys.size + keys.length <= MAX_KEYS &&
      group.length + length <= MAX_LENGTH &&
      !keys.some((key) => group.keys.has(key));
    const group = groups.find(fits) ?? start();
    group.batches.push(batch);
    group.length += length;
    for (const key of keys) group.keys.add(key);
    const version = await group.committed;
    return version === undefined && group.batches.length > 1 ? commit(batch) : version;
  };
}

/** All keys of a batch; keys that are checked and changed occur twice. */
const keysOf = ({ check = [], set = [], delete: deleted = [] }: Batch): Key[] => [
  ...deleted,
  ...[...check, ...set].map(([key]) => key),
];

/** Up to this many values are sent as separate parameters, which is faster than an array. */
const MAX_PARAMETERS = 32;

/** The statement that commits a batch, with its parameters: see `commit_entries`. */
export function toStatement(batch: Batch): { text: string; parameters: (string | null)[] } {
  const { check = [], set = [], delete: deleted = [] } = batch;
  const expected = new Map(check);
  const changes = new Map([...set, ...deleted.map((key) => [key, ''] as const)]);
  const keys = [...new Set([...expected.keys(), ...changes.keys()])].toSorted(); // all batches lock in this order
  const values = keys.map((key) => changes.get(key) ?? null);
  const fixed = [toArray(keys), toArray(keys.map((key) => expected.get(key) ?? null))];
  if (values.length > MAX_PARAMETERS) {
    return { text: 'SELECT commit_entries($1, $2, $3) AS version', parameters: [...fixed, toArray(values)] };
  }
  const placeholders = values.map((_, n) => `$${n + 3}`).join(', ');
  const text = `SELECT commit_entries($1, $2, ARRAY[${placeholders}]::text[]) AS version`;
  return { text, parameters: [...fixed, ...values] };
}

/** The text form of an SQL array. */
export const toArray = (values: readonly (string | number | null)[]): string => `{${values.map(toElement).join(',')}}`;

const toElement = (value: string | number | null): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
