/** Resolves or rejects as `work` does; if that takes longer than `limit` milliseconds, as `late` does. */
export async function withTimeout<T>(work: Promise<T>, limit: number, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limit).unref();
  });
  try {
    return await Promise.race([work, expired.then(late)]);
  } finally {
    clearTimeout(timer); // frequent calls must not leave timers behind
  }
}
