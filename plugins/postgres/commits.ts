import { setImmediate } from 'node:timers/promises';
import {
  type Batch,
  isStorageError,
  type Key,
  type KeyValueStore,
  mergeBatches,
  type Value,
  type Version,
} from '../../src/plugin.ts';

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
 * which halves the work. If the shared batch is not stored, each batch is committed separately.
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
    try {
      const version = await group.committed;
      if (version !== undefined || group.batches.length === 1) return version;
    } catch (error) {
      if (group.batches.length === 1 || isStorageError(error, 'unavailable')) throw error; // it may be stored
    }
    return commit(batch);
  };
}

/** All keys of a batch; keys that are checked and changed occur twice. */
const keysOf = ({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): Key[] => [
  ...deleted,
  ...[...check, ...set, ...sum].map(([key]) => key),
];

interface Step {
  key: Key;
  expected: Version | null;
  operation: 'set' | 'delete' | 'sum' | 'check';
  value: Value | null;
}

/** Up to this many values are sent as separate parameters, which is faster than an array. */
const MAX_PARAMETERS = 32;

/** The statement that commits a batch, with its parameters: see `commit_entries`. */
export function toStatement(batch: Batch): { text: string; parameters: (string | null)[] } {
  const steps = toSteps(batch);
  const column = <Name extends keyof Step>(name: Name): Step[Name][] => steps.map((step) => step[name]);
  const values = column('value');
  const fixed = [toArray(column('key')), toArray(column('expected')), toArray(column('operation'))];
  if (values.length > MAX_PARAMETERS) {
    return { text: 'SELECT commit_entries($1, $2, $3, $4) AS version', parameters: [...fixed, toArray(values)] };
  }
  const places = values.map((_, n) => `$${n + 4}`).join(', ');
  const text = `SELECT commit_entries($1, $2, $3, ARRAY[${places}]::text[]) AS version`;
  return { text, parameters: [...fixed, ...values] };
}

/** One step per key, sorted: all batches lock their keys in this order. */
function toSteps({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): Step[] {
  const steps = new Map<Key, Step>();
  const add = (key: Key, operation: Step['operation'], value: Value | null): void =>
    void steps.set(key, { key, expected: null, operation, value });
  for (const [key] of check) add(key, 'check', null);
  for (const [key, value] of set) add(key, 'set', value);
  for (const key of deleted) add(key, 'delete', null);
  for (const [key, amount] of sum) add(key, 'sum', String(amount));
  for (const [key, version] of check) steps.get(key)!.expected = version;
  return [...steps.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** The text form of an SQL array. */
export const toArray = (values: readonly (string | number | null)[]): string => `{${values.map(toElement).join(',')}}`;

const toElement = (value: string | number | null): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
