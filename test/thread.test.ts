import { afterEach, beforeEach, expect, it } from 'vitest';
import { createThread, type Thread } from '../src/thread.ts';

let thread: Thread<unknown, unknown>;
beforeEach(() => {
  thread = createThread(new URL('threads/odd.js', import.meta.url).href, 'odd');
});
afterEach(() => thread.close());

it('rejects what it had to do when it ends by itself, and starts anew', async () => {
  await expect(Promise.allSettled([thread.run('end'), thread.run(1)])).resolves.toMatchObject([
    { reason: { message: 'the thread ended before it was done' } },
    { reason: { message: 'the thread ended before it was done' } },
  ]);
  expect(await thread.run(2)).toBe(2);
});

it('rejects what cannot be sent to it, and goes on', async () => {
  await expect(thread.run(() => undefined)).rejects.toThrow('could not be cloned');
  expect(await thread.run(1)).toBe(1);
});
