/** Tasks run one after another, in the order in which they were added. */
export class Mutex {
  /** Of the last task: the next one waits for it. */
  #end: Promise<void> = Promise.resolve();
  #tasks = 0;

  /** Runs a task once all earlier ones have ended. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#end.then(task);
    const release = (): void => {
      this.#tasks -= 1;
    };
    this.#tasks += 1;
    this.#end = result.then(release, release);
    return result;
  }

  /** Whether a task is running or waiting. */
  get isLocked(): boolean {
    return this.#tasks > 0;
  }

  /** Waits for all tasks that were added so far. */
  drain(): Promise<void> {
    return this.#end;
  }
}

/** A mutex per key. */
export class KeyedMutex<Key> {
  /** Those that are locked. */
  readonly #mutexes = new Map<Key, Mutex>();

  /** Runs a task once all earlier tasks of this key have ended. */
  run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const mutex = this.#mutexes.get(key) ?? new Mutex();
    this.#mutexes.set(key, mutex);
    const result = mutex.run(task);
    void mutex.drain().then(() => mutex.isLocked || this.#mutexes.delete(key));
    return result;
  }

  /** Runs a task that holds several keys. To avoid deadlocks, all callers must list their keys in the same order. */
  runAll<T>([key, ...others]: readonly Key[], task: () => Promise<T>): Promise<T> {
    return key === undefined ? task() : this.run(key, () => this.runAll(others, task));
  }

  /** Waits for all tasks that were added so far. */
  async drain(): Promise<void> {
    await Promise.all(Array.from(this.#mutexes.values(), (mutex) => mutex.drain()));
  }
}
