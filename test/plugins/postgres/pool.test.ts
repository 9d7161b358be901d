import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../../plugins/postgres/connection.ts';
import { CONNECTIONS, PIPELINE, Pool } from '../../../plugins/postgres/pool.ts';

const PLACES = CONNECTIONS * PIPELINE;

/** A pool that counts its connections, which do nothing. */
function createPool(): { pool: Pool; connections: Connection[] } {
  const connections: Connection[] = [];
  const pool = new Pool(() => {
    connections.push({ end: async () => undefined } as unknown as Connection);
    return connections.at(-1)!;
  });
  return { pool, connections };
}

/** Statements that run until they are ended. */
function createStatements(): { statement: () => Promise<void>; started: () => number; end: (count: number) => void } {
  const ends: (() => void)[] = [];
  let count = 0;
  return {
    statement: () => {
      count += 1;
      return new Promise<void>((resolve) => ends.push(resolve));
    },
    started: () => count,
    end: (number) => ends.splice(0, number).forEach((end) => end()),
  };
}
const nextTurn = (): Promise<unknown> => new Promise(setImmediate);

it('an idle connection is reused; another one is opened only if all are busy', async () => {
  const { pool, connections } = createPool();
  for (let n = 0; n < 3; n += 1) await pool.use(async () => undefined);
  expect(connections).toHaveLength(1);
  await Promise.all([pool.use(nextTurn), pool.use(nextTurn)]);
  expect(connections).toHaveLength(2);
  await Promise.all(Array.from({ length: 200 }, () => pool.use(nextTurn)));
  expect(connections).toHaveLength(CONNECTIONS);
});

it('no connection exceeds its limit of statements', async () => {
  const { pool } = createPool();
  const running = new Map<Connection, number>();
  const use = (): Promise<void> =>
    pool.use(async (connection) => {
      running.set(connection, (running.get(connection) ?? 0) + 1);
      expect(running.get(connection)).toBeLessThanOrEqual(PIPELINE);
      await nextTurn();
      running.set(connection, running.get(connection)! - 1);
    });
  await Promise.all(Array.from({ length: 10 * PLACES }, async () => (await use(), await use())));
});

describe('a queued caller', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is rejected after ten seconds, and takes no slot from those still waiting', async () => {
    const { pool } = createPool();
    const { statement, started, end } = createStatements();
    const running = Array.from({ length: PLACES }, () => pool.use(statement));
    const early = pool.use(async () => 'early').catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(9999);
    const late = pool.use(async () => 'late');
    await vi.advanceTimersByTimeAsync(1);
    expect(await early).toMatchObject({ code: 'unavailable', message: expect.stringContaining('too slow') });
    expect(started()).toBe(PLACES);

    end(1);
    expect(await late).toBe('late');
    end(PLACES);
    await Promise.all(running);
    expect(await pool.use(async () => 'next')).toBe('next');
  });
});
