import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../../../plugins/old/postgres/connection.ts';
import { Pool } from '../../../../plugins/old/postgres/pool.ts';

/** Runs it so many turns of the microtask queue later. */
const after = (turns: number, run: () => void): void =>
  turns === 0 ? run() : queueMicrotask(() => after(turns - 1, run));

it('has no more connections at once than it may, whenever somebody comes', async () => {
  for (let turns = 0; turns < 12; turns += 1) {
    const pool = new Pool(1, () => ({ isUsable: true, end: async () => undefined }) as unknown as Connection);
    let busy = 0;
    const work: Promise<void>[] = [];
    const use = (): void => {
      const step = async (): Promise<void> => {
        busy += 1;
        expect(busy).toBe(1);
        await new Promise(setImmediate);
        busy -= 1;
      };
      work.push(pool.use(step));
    };
    let leave!: () => void;
    const first = pool.use(() => new Promise<void>((resolve) => (leave = resolve)));
    await new Promise(setImmediate);
    use(); // waits in line
    leave();
    after(turns, () => {
      use();
      use();
    });
    await first;
    await new Promise(setImmediate);
    await Promise.all(work);
    await pool.close();
  }
});

describe('who waits in line for a connection', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is told after ten seconds that there is none, and takes none from those who still wait', async () => {
    const pool = new Pool(1, () => ({ isUsable: true, end: async () => undefined }) as unknown as Connection);
    let leave!: () => void;
    const first = pool.use(() => new Promise<void>((resolve) => (leave = resolve)));
    const early = pool.use(async () => 'early').catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(9999);
    const late = pool.use(async () => 'late');
    await vi.advanceTimersByTimeAsync(1);
    expect(await early).toMatchObject({ code: 'unavailable', message: expect.stringContaining('too slow') });

    leave();
    await first;
    expect(await late).toBe('late');
    expect(await pool.use(async () => 'next')).toBe('next');
    await pool.close();
  });
});
