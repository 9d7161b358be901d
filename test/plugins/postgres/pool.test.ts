import { expect, it } from 'vitest';
import type { Connection } from '../../../plugins/postgres/connection.ts';
import { CONNECTIONS, Pool } from '../../../plugins/postgres/pool.ts';

/** A pool that counts its connections, which do nothing. */
function createPool(): { pool: Pool; connections: Connection[] } {
  const connections: Connection[] = [];
  const pool = new Pool(() => {
    connections.push({ end: async () => undefined } as unknown as Connection);
    return connections.at(-1)!;
  });
  return { pool, connections };
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

it('a statement gets the connection with the fewest running statements', async () => {
  const { pool } = createPool();
  const running = new Map<Connection, number>();
  const ends: (() => void)[] = [];
  const use = (): Promise<void> =>
    pool.use((connection) => {
      running.set(connection, (running.get(connection) ?? 0) + 1);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const uses = Array.from({ length: 5 * CONNECTIONS }, use);
  expect([...running.values()]).toEqual(Array.from({ length: CONNECTIONS }, () => 5));
  for (const end of ends) end();
  await Promise.all(uses);
});
