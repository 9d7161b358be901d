import type { Reply } from '../../http/reply.ts';

/** Long work that tells how far it is, and answers a report. */
type Work = (progress: (done: number, total: number, records?: number) => void) => Promise<unknown>;

/**
 * Answers long work while it goes on, a line of JSON for each step: how far it is, and at the end its `report`, or the
 * `message` of what went wrong.
 */
export const progressReply = (work: Work): Reply => ({
  type: 'application/x-ndjson',
  body: write(work),
  isLive: true,
});

async function* write(work: Work): AsyncIterable<string> {
  let told: { done: number; total: number; records?: number } = { done: 0, total: 0 };
  let tell: (() => void) | undefined;
  const result = work((done, total, records) => {
    told = { done, total, ...(records !== undefined && { records }) };
    tell?.();
  }).then(
    (report) => ({ report }),
    (error: Error) => ({ message: error.message }),
  );
  for (;;) {
    const step = new Promise<undefined>((resolve) => {
      tell = () => resolve(undefined);
    });
    const end = await Promise.race([result, step]);
    yield `${JSON.stringify(end ?? told)}\n`;
    if (end) return;
  }
}
