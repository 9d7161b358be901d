import type { Batch, Entry, Key, KeyValueStore } from './contract.ts';

/** Parses the value of an entry. */
export const valueOf = <T>({ value }: Entry): T => JSON.parse(value) as T;

/** The parsed values of the entries that exist. */
export const valuesOf = <T>(entries: readonly (Entry | undefined)[]): T[] =>
  entries.flatMap((entry) => (entry ? [valueOf<T>(entry)] : []));

/** The parsed value of a key; undefined if it does not exist. */
export const readValue = async <T>(store: KeyValueStore, key: Key): Promise<T | undefined> =>
  valuesOf<T>(await store.get([key]))[0];

/** The result of an update, the new value (undefined: it is not set), and other changes in the same commit. */
interface Update<T, Result> extends Pick<Batch, 'set' | 'delete'> {
  result: Result;
  value?: T | undefined;
}

/**
 * Reads a value, and commits what `decide` makes of it. If another commit changes the key meanwhile, `decide` is called
 * again.
 */
export async function updateValue<T, Result = void>(
  store: KeyValueStore,
  key: Key,
  decide: (value: T | undefined) => Update<T, Result> | Promise<Update<T, Result>>,
): Promise<Result> {
  for (;;) {
    const [entry] = await store.get([key]);
    const { result, value, set = [], delete: deleted = [] } = await decide(entry && valueOf<T>(entry));
    const own = value === undefined ? [] : [[key, JSON.stringify(value)] as const];
    const batch = { check: [[key, entry?.version ?? 0] as const], set: [...own, ...set], delete: deleted };
    const isUnchanged = batch.set.length + deleted.length === 0;
    if (isUnchanged || (await store.commit(batch)) !== undefined) return result;
  }
}
