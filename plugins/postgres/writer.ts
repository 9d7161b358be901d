import { type Batch, isStorageError, type Key, type KeyValueStore, type Version } from '../../src/plugin.ts';

/** Limits of a group, in keys and in characters of values; beyond them, another group is sent concurrently. */
const MAX_KEYS = 30;
const MAX_LENGTH = 500_000;

interface Call {
  batch: Batch;
  resolve(version: Version | undefined | Promise<Version | undefined>): void;
  reject(error: unknown): void;
}

type Write = KeyValueStore['commit'];

/**
 * Creates `commit`. Calls in the same turn of the event loop share a transaction if they have no key in common, which
 * halves the work. If the shared batch is not stored, each batch is committed separately.
 */
export function createWriter(write: Write): Write {
  let waiting: Group[] = [];

  const send = async ({ batch, calls }: Group): Promise<void> => {
    const isAlone = calls.length === 1;
    try {
      const version = await write(batch);
      for (const call of calls) call.resolve(version === undefined && !isAlone ? write(call.batch) : version);
    } catch (error) {
      const isUnsure = isStorageError(error, 'unavailable'); // may be stored or not
      for (const { batch: own, resolve, reject } of calls) {
        if (isAlone || isUnsure) reject(error);
        else resolve(write(own));
      }
    }
  };
  const sendAll = (): void => {
    const groups = waiting;
    waiting = [];
    for (const group of groups) void send(group);
  };

  return (batch) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(sendAll);
      const keys = keysOf(batch);
      const call = { batch, resolve, reject };
      if (!waiting.some((group) => group.add(call, keys))) waiting.push(new Group(call, keys));
    });
}

/** Batches without a key in common, merged into one. */
class Group {
  readonly calls: Call[] = [];
  readonly #keys = new Set<Key>();
  #length = 0;

  constructor(call: Call, keys: readonly Key[]) {
    this.#take(call, keys);
  }

  /** False if the batch does not fit. */
  add(call: Call, keys: readonly Key[]): boolean {
    if (this.#keys.size + keys.length > MAX_KEYS || this.#length + lengthOf(call.batch) > MAX_LENGTH) return false;
    if (keys.some((key) => this.#keys.has(key))) return false;
    this.#take(call, keys);
    return true;
  }

  #take(call: Call, keys: readonly Key[]): void {
    for (const key of keys) this.#keys.add(key);
    this.#length += lengthOf(call.batch);
    this.calls.push(call);
  }

  get batch(): Batch {
    const [first, ...others] = this.calls.map(({ batch }) => batch);
    if (others.length === 0) return first!;
    const all = [first!, ...others];
    return {
      check: all.flatMap(({ check = [] }) => check),
      set: all.flatMap(({ set = [] }) => set),
      delete: all.flatMap((each) => each.delete ?? []),
      sum: all.flatMap(({ sum = [] }) => sum),
    };
  }
}

const lengthOf = ({ set = [] }: Batch): number => set.reduce((sum, [, value]) => sum + value.length, 0);

/** All keys of a batch; keys that are checked and changed occur twice. */
const keysOf = ({ check = [], set = [], delete: deleted = [], sum = [] }: Batch): Key[] => [
  ...check.map(([key]) => key),
  ...set.map(([key]) => key),
  ...deleted,
  ...sum.map(([key]) => key),
];
