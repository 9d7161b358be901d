/** So many at most: the first must not wait for the end of a long turn. */
const LONGEST = 8;

/**
 * Resolves when an answer may leave: together with the others that are ready in the same turn of the event loop. To
 * wake up whoever waits for an answer takes longer than to make most of them, and one waking does for a burst.
 */
export function createBurst(): () => Promise<void> {
  let waiting = 0;
  let leaving: Promise<void> | undefined;
  let leave: () => void;

  return () => {
    leaving ??= new Promise((resolve) => {
      const turn = setImmediate(() => leave());
      leave = () => {
        clearImmediate(turn);
        leaving = undefined;
        waiting = 0;
        resolve();
      };
    });
    const together = leaving;
    waiting += 1;
    if (waiting === LONGEST) leave();
    return together;
  };
}
