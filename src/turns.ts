/** Steps that go one after the other where they stand in the same line. */
export class Turns<Line> {
  /** The last step in each line: the next one waits for it. */
  readonly #last = new Map<Line, Promise<unknown>>();

  /** Runs a step after those in the same line that came before it. */
  take<T>(line: Line, step: () => Promise<T>): Promise<T> {
    const before = this.#last.get(line) ?? Promise.resolve();
    const result = before.then(step);
    const leave = (): void => {
      if (this.#last.get(line) === turn) this.#last.delete(line);
    };
    const turn = result.then(leave, leave);
    this.#last.set(line, turn);
    return result;
  }

  /** Runs a step when it is its turn in each of the lines; whoever takes several must take them in one order. */
  takeAll<T>([line, ...others]: readonly Line[], step: () => Promise<T>): Promise<T> {
    return line === undefined ? step() : this.take(line, () => this.takeAll(others, step));
  }

  /** Whether any step is under way in the line. */
  has(line: Line): boolean {
    return this.#last.has(line);
  }

  /** Waits for all that are in line now. */
  async settle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
