import { type AttemptStore, type Seconds, weighAttempts } from '../../../src/old-plugin.ts';
import type { Database } from './database.ts';

interface AttemptRow {
  /** As JSON. */
  times: string;
  now: Seconds;
}

/** One row for a key, with the times of its last attempts. */
export function createAttemptStore(database: Database): AttemptStore {
  const hold = database.prepare<AttemptRow>(
    `INSERT INTO attempts (key, times, until) VALUES (@key, '[]', 0)
     ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING times, @now AS now`,
  );
  const find = database.prepare<AttemptRow>('SELECT times, @now AS now FROM attempts WHERE key = @key');
  const set = database.prepare('UPDATE attempts SET times = @times, until = @until WHERE key = @key');
  const lock = database.prepare<AttemptRow>('SELECT times, @now AS now FROM attempts WHERE key = @key FOR UPDATE');
  const take = database.prepare('UPDATE attempts SET times = @times WHERE key = @key');
  const forget = database.prepare(
    `DELETE FROM attempts WHERE key IN (
       SELECT key FROM attempts WHERE until <= (SELECT @now) AND key <> @key FOR UPDATE SKIP LOCKED
     )`,
  );

  return {
    add: (key, limit) =>
      database.write(async (connection) => {
        const { times, now } = (await hold.get(connection, { key }))!;
        const { recent, wait } = weighAttempts(JSON.parse(times) as Seconds[], limit, now);
        if (wait > 0) return wait;
        await set.run(connection, { key, times: JSON.stringify([...recent, now]), until: now + limit.within });
        await forget.run(connection, { key });
        return 0;
      }),

    wait: (key, limit) =>
      database.read(async (connection) => {
        const row = await find.get(connection, { key });
        return row ? weighAttempts(JSON.parse(row.times) as Seconds[], limit, row.now).wait : 0;
      }),

    takeBack: (key) =>
      database.write(async (connection) => {
        const row = await lock.get(connection, { key });
        if (row) {
          await take.run(connection, { key, times: JSON.stringify((JSON.parse(row.times) as Seconds[]).slice(0, -1)) });
        }
      }),
  };
}
