import { afterEach, beforeEach, expect, it } from 'vitest';
import { createThread, type Thread } from '../src/thread.ts';

let thread: Thread<unknown, unknown>;
beforeEach(() => {
  thread = createThread(new URL('threads/odd.js', import.meta.url).href, 'odd');
});
afterEach(() => thread.close());

it('rejects all pending calls if the thread exits, and starts a new one', async () => {
  await expect(Promise.allSettled([thread.run('end'), thread.run(1)])).resolves.toMatchObject([
    { reason: { message: 'the worker thread exited unexpectedly' } },
    { reason: { message: 'the worker thread exited unexpectedly' } },
  ]);
  expect(await thread.run(2)).toBe(2);
});

it('rejects input that cannot be cloned, and keeps working', async () => {
  await expect(thread.run(() => undefined)).rejects.toThrow('could not be cloned');
  expect(await thread.run(1)).toBe(1);
});

it('rejects all pending calls if a result is nested too deeply to be received, and starts a new thread', async () => {
  await expect(Promise.allSettled([thread.run('deep'), thread.run(1)])).resolves.toMatchObject([
    { reason: { message: expect.stringContaining('call stack') } },
    { status: expect.stringMatching(/fulfilled|rejected/) },
  ]);
  expect(await thread.run(2)).toBe(2);
});
