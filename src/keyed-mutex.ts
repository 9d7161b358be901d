/** A mutex per key: tasks with the same key run one after another, in the order in which they were added. */
export class KeyedMutex<Key> {
  /** The last task of each key: the next one waits for it. */
  readonly #last = new Map<Key, Promise<unknown>>();

  /** Runs a task once all earlier tasks of this key have ended. */
  run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key) ?? Promise.resolve();
    const result = previous.then(task);
    const release = (): void => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    };
    const ended = result.then(release, release);
    this.#last.set(key, ended);
    return result;
  }

  /** Runs a task that holds several keys. To avoid deadlocks, all callers must list their keys in the same order. */
  runAll<T>([key, ...others]: readonly Key[], task: () => Promise<T>): Promise<T> {
    return key === undefined ? task() : this.run(key, () => this.runAll(others, task));
  }

  /** Whether a task of this key is running or waiting. */
  isLocked(key: Key): boolean {
    return this.#last.has(key);
  }

  /** Waits for all tasks that were added so far. */
  async drain(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
