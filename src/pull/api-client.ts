import { canContinue } from './remote-error.ts';
import type { Remote } from './remote.ts';

export interface PullEvents {
  /** Something that the server did not return, and why, in a sentence. */
  onGap(gap: string): void;
  /** How many requests are done, of those that are known so far. */
  onProgress(done: number, total: number): void;
}

/** Reads an account on another server and reports progress. */
export interface ApiClient {
  user: string;
  onGap: PullEvents['onGap'];
  /** Adds to the expected number of requests. */
  expectRequests(count: number): void;
  /** Rejects with a RemoteError. */
  get: Remote['get'];
  /**
   * For optional data: if the request fails or `read` cannot parse the answer, returns undefined and reports a gap that
   * starts with `what`. After a temporary failure, the same `what` is not requested again. Rejects if no further
   * request can succeed.
   */
  getOptional<T>(
    what: string,
    path: readonly string[],
    read: (answer: unknown) => T,
    query?: Readonly<Record<string, string>>,
  ): Promise<T | undefined>;
}

export function createApiClient(remote: Remote, { onGap, onProgress }: PullEvents): ApiClient {
  let done = 0;
  let expected = 0;
  const givenUp = new Set<string>();
  const get: ApiClient['get'] = async (path, query) => {
    const answer = await remote.get(path, query).finally(() => done++);
    onProgress(done, Math.max(done, expected));
    return answer;
  };
  return {
    user: remote.user,
    onGap,
    get,
    expectRequests: (count) => void (expected += count),
    async getOptional(what, path, read, query) {
      if (givenUp.has(what)) return undefined;
      try {
        return read(await get(path, query));
      } catch (error) {
        if (!canContinue(error)) throw error;
        if (error.isTemporary) givenUp.add(what);
        onGap(`${what}: ${error.message}`);
        return undefined;
      }
    },
  };
}
