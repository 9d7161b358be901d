import type { Entry, Key, KeyValueStore } from '../../src/plugin.ts';

/** Maximum keys of a shared statement; a call with more gets its own. */
const KEYS = 1000;

interface Call {
  keys: readonly Key[];
  resolve(entries: (Entry | undefined)[]): void;
  reject(error: unknown): void;
}

/** Creates `get`. Calls in the same turn of the event loop share a statement. `read` returns entries in any order. */
export function createReader(read: (keys: readonly Key[]) => Promise<Entry[]>): KeyValueStore['get'] {
  let waiting: Call[] = [];
  let count = 0;

  const send = async (): Promise<void> => {
    const calls = waiting;
    waiting = [];
    count = 0;
    try {
      const entries = await read([...new Set(calls.flatMap(({ keys }) => keys))]);
      const byKey = new Map(entries.map((entry) => [entry.key, entry]));
      for (const { keys, resolve } of calls) resolve(keys.map((key) => byKey.get(key)));
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  };

  return (keys) =>
    new Promise((resolve, reject) => {
      if (count + keys.length > KEYS && waiting.length > 0) void send();
      count += keys.length;
      if (waiting.push({ keys, resolve, reject }) === 1) setImmediate(() => void (waiting.length > 0 && send()));
    });
}
