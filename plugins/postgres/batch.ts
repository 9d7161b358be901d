import type { Batch, Key, Value, Version } from '../../src/plugin.ts';
import { toArray } from './connection.ts';

type Operation = 'set' | 'delete' | 'sum' | 'check';

/** The operation on one key. */
interface Step {
  key: Key;
  expected: Version | null;
  operation: Operation;
  value: Value | null;
}

/**
 * Up to this many values are sent as separate parameters, which is faster than an array. Their number is rounded up to
 * a multiple, as each number needs its own prepared statement.
 */
const MAX_PARAMETERS = 32;
const MULTIPLE = 8;

/** The statement that commits a batch, with its parameters: see `commit_entries`. */
export function toStatement(batch: Batch): { text: string; parameters: (string | null)[] } {
  const steps = toSteps(batch);
  const column = <Name extends keyof Step>(name: Name): Step[Name][] => steps.map((step) => step[name]);
  const values = column('value');
  const fixed = [toArray(column('key')), toArray(column('expected')), toArray(column('operation'))];
  if (values.length > MAX_PARAMETERS) {
    return { text: 'SELECT commit_entries($1, $2, $3, $4) AS version', parameters: [...fixed, toArray(values)] };
  }
  while (values.length % MULTIPLE > 0) values.push(null);
  const places = values.map((_, n) => `$${n + 4}`).join(', ');
  const text = `SELECT commit_entries($1, $2, $3, ARRAY[${places}]::text[]) AS version`;
  return { text, parameters: [...fixed, ...values] };
}

/** One step per key, sorted: all batches lock their keys in this order. */
function toSteps({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): Step[] {
  const expected = new Map(check);
  const toStep = (key: Key, operation: Operation, value: Value | null): Step => {
    const step = { key, expected: expected.get(key) ?? null, operation, value };
    expected.delete(key);
    return step;
  };
  const steps = [
    ...set.map(([key, value]) => toStep(key, 'set', value)),
    ...deleted.map((key) => toStep(key, 'delete', null)),
    ...sum.map(([key, amount]) => toStep(key, 'sum', String(amount))),
  ];
  for (const key of expected.keys()) steps.push(toStep(key, 'check', null));
  return steps.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
