import { mayGoOn } from './failure.ts';
import type { Remote } from './remote.ts';

export interface Listener {
  /** What the server does not give, and why, in a sentence. */
  gap(what: string): void;
  /** How many questions were answered, of those that are known by now. */
  step(done: number, total: number): void;
}

/** Asks for an account, question by question. */
export interface Asker {
  user: string;
  gap: Listener['gap'];
  /** Announces this many more questions. */
  expect(questions: number): void;
  /** Rejects with a RemoteError. */
  ask: Remote['get'];
  /**
   * For what may be missing: undefined, and a gap that begins with `what`, when it is refused or `read` cannot read it.
   * A server that fails at something is not asked for it again. Rejects where no further question makes sense.
   */
  askFor<T>(what: string, path: readonly string[], query: Query, read: (answer: unknown) => T): Promise<T | undefined>;
}

type Query = Readonly<Record<string, string>>;

export function createAsker({ get, user }: Remote, { gap, step }: Listener): Asker {
  let done = 0;
  let expected = 0;
  const givenUp = new Set<string>();
  const ask: Asker['ask'] = async (path, query) => {
    const answer = await get(path, query).finally(() => done++);
    step(done, Math.max(done, expected));
    return answer;
  };
  return {
    user,
    gap,
    ask,
    expect: (questions) => void (expected += questions),
    async askFor(what, path, query, read) {
      if (givenUp.has(what)) return undefined;
      try {
        return read(await ask(path, query));
      } catch (error) {
        if (!mayGoOn(error)) throw error;
        if (error.isPassing) givenUp.add(what);
        gap(`${what}: ${error.message}`);
        return undefined;
      }
    },
  };
}
