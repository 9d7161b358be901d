import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createThread, type Thread } from '../src/thread.ts';

let thread: Thread<unknown, unknown>;
beforeEach(() => {
  thread = createThread(new URL('threads/odd.js', import.meta.url).href, 'odd');
});
afterEach(async () => {
  vi.useRealTimers();
  await thread.close();
});

it('rejects all pending calls if the thread exits, and starts a new one', async () => {
  await expect(Promise.allSettled([thread.run('end'), thread.run(1)])).resolves.toMatchObject([
    { reason: { message: 'the worker thread exited unexpectedly' } },
    { reason: { message: 'the worker thread exited unexpectedly' } },
  ]);
  expect(await thread.run(2)).toBe(2);
});

it('rejects with the message of an error in the thread', async () => {
  await expect(thread.run('fail')).rejects.toThrow(/^no$/);
});

it('keeps the process alive while it works, and no longer, also if a call is refused or never ends', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [new URL('threads/until-idle.js', import.meta.url).pathname],
    { timeout: 30_000 },
  );
  expect(stdout).toBe('refused\nit took more than 0.1 seconds\nslow done\n');
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

it('the timeout of a call that has ended does not reject a later one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  expect(await thread.run(1, 20)).toBe(1);
  const next = thread.run(2);
  vi.advanceTimersByTime(20_000);
  expect(await next).toBe(2);
});

it('refuses calls after it was closed, instead of starting another thread', async () => {
  await thread.close();
  await expect(thread.run(1)).rejects.toThrow('podsync is closing');
});
