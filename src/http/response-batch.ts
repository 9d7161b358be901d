/** More answers are not held back: the first must not wait for the end of a long turn. */
const MOST_HELD = 8;

/**
 * Resolves when an answer may leave: together with the others that are ready in the same turn of the event loop. Waking
 * up a client takes longer than making most answers, and answers that leave together wake it up once.
 */
export function createResponseBatch(): () => Promise<void> {
  let held = 0;
  let leaving: Promise<void> | undefined;
  let leave: () => void;

  return () => {
    leaving ??= new Promise((resolve) => {
      const turn = setImmediate(() => leave());
      leave = () => {
        clearImmediate(turn);
        leaving = undefined;
        held = 0;
        resolve();
      };
    });
    const together = leaving;
    held += 1;
    if (held === MOST_HELD) leave();
    return together;
  };
}
