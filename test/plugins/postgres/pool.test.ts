import { expect, it } from 'vitest';
import type { Client } from '../../../plugins/postgres/client.ts';
import { createPool, MAX_CONNECTIONS } from '../../../plugins/postgres/pool.ts';

/** A pool that counts its connections, which do nothing. */
function createCountingPool(): { pool: ReturnType<typeof createPool>; connections: Client[] } {
  const connections: Client[] = [];
  const pool = createPool(async () => {
    connections.push({ end: async () => undefined } as unknown as Client);
    return connections.at(-1)!;
  });
  return { pool, connections };
}

const nextTurn = (): Promise<unknown> => new Promise(setImmediate);

it('an idle connection is reused; another one is opened only if all are busy', async () => {
  const { pool, connections } = createCountingPool();
  for (let n = 0; n < 3; n += 1) await pool.use(async () => undefined);
  expect(connections).toHaveLength(1);
  await Promise.all([pool.use(nextTurn), pool.use(nextTurn)]);
  expect(connections).toHaveLength(2);
  await Promise.all(Array.from({ length: 200 }, () => pool.use(nextTurn)));
  expect(connections).toHaveLength(MAX_CONNECTIONS);
});

it('a statement gets the connection with the fewest running statements', async () => {
  const { pool } = createCountingPool();
  const running = new Map<Client, number>();
  const ends: (() => void)[] = [];
  const use = (): Promise<void> =>
    pool.use((connection) => {
      running.set(connection, (running.get(connection) ?? 0) + 1);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const uses = Array.from({ length: 5 * MAX_CONNECTIONS }, use);
  await nextTurn();
  expect([...running.values()]).toEqual(Array.from({ length: MAX_CONNECTIONS }, () => 5));
  for (const end of ends) end();
  await Promise.all(uses);
});

it('a statement whose own connection is refused never gets one that was lost meanwhile', async () => {
  const connections = [{ isLost: false }, { isLost: false }] as Client[];
  const answers: Promise<Client>[] = connections.map((connection) => Promise.resolve(connection));
  const pool = createPool(() => answers.shift()!);
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const running = connections.map(() => pool.use(() => ended));
  await nextTurn();
  answers.push(Promise.reject(Object.assign(new Error('too many clients'), { name: 'PostgresError' })));
  const shared = pool.use(async (connection) => connections.indexOf(connection));
  Object.assign(connections[0]!, { isLost: true });
  expect(await shared).toBe(1);
  end();
  await Promise.all(running);
});
