/** Responses that are held back at most: the first must not wait for the end of a long turn. */
const MAX_HELD = 8;

/**
 * Resolves when a response may be sent: together with the others that are ready in the same turn of the event loop.
 * Waking up a client takes longer than computing most responses, and responses sent together wake it up only once.
 */
export function createResponseBatch(): () => Promise<void> {
  let held = 0;
  let batch: Promise<void> | undefined;
  let release: () => void;

  return () => {
    batch ??= new Promise((resolve) => {
      const turn = setImmediate(() => release());
      release = () => {
        clearImmediate(turn);
        batch = undefined;
        held = 0;
        resolve();
      };
    });
    const current = batch;
    held += 1;
    if (held === MAX_HELD) release();
    return current;
  };
}
