import postgresJs from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import postgres from '../../../plugins/postgres/index.ts';
import { startServer } from '../../postgres/server.ts';

it('an acknowledged commit survives a crash of a PostgreSQL that does not sync commits by default', async () => {
  const server = await startServer({ durable: true });
  onTestFinished(() => server.destroy());
  const sql = postgresJs(server.url, { max: 1 });
  for (const setting of ["wal_writer_delay = '10s'", 'synchronous_commit = off']) {
    await sql.unsafe(`ALTER SYSTEM SET ${setting}`);
  }
  await sql`ALTER ROLE postgres SET synchronous_commit = off`;
  await sql`SELECT pg_reload_conf()`;
  await sql.end();

  const store = await postgres.open(postgres.parse(server.url), { dataDir: '', log: () => undefined });
  const version = await store.commit({ set: [['a', '1']] });
  await server.stop('SIGKILL');
  await server.start();
  await expect.poll(() => store.get(['a']).catch(() => undefined)).toEqual([{ key: 'a', value: '1', version }]);
  await store.close();
});
