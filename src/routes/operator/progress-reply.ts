import type { Reply } from '../../http/reply.ts';

/** Long work that reports its progress, and returns a report. */
type Work = (progress: (done: number, total: number, records?: number) => void) => Promise<unknown>;

/**
 * Streams the progress of long work as lines of JSON. The last line is its `report`, or the `message` of the error.
 */
export const progressReply = (work: Work): Reply => ({
  type: 'application/x-ndjson',
  body: write(work),
  isLive: true,
});

async function* write(work: Work): AsyncIterable<string> {
  let latest: { done: number; total: number; records?: number } = { done: 0, total: 0 };
  let notify: (() => void) | undefined;
  const result = work((done, total, records) => {
    latest = { done, total, ...(records !== undefined && { records }) };
    notify?.();
  }).then(
    (report) => ({ report }),
    (error: Error) => ({ message: error.message }),
  );
  for (;;) {
    const step = new Promise<undefined>((resolve) => {
      notify = () => resolve(undefined);
    });
    const end = await Promise.race([result, step]);
    yield `${JSON.stringify(end ?? latest)}\n`;
    if (end) return;
  }
}
