import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beginRun } from './postgres/database.ts';
import { startServer } from './postgres/server.ts';
import { installSqliteDriver } from './sqlite-driver.ts';

/**
 * Installs the SQLite driver if it is missing, builds the program for the tests that start it, and starts PostgreSQL
 * for the tests that need it, unless `PODSYNC_TEST_POSTGRES` names a server. Returns the teardown.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await installSqliteDriver(); // before the server, whose files it might replace
  const [built, opened] = await Promise.allSettled([build(), openPostgres()]);
  if (opened.status === 'rejected') throw opened.reason;
  if (built.status === 'fulfilled') return opened.value;
  await opened.value();
  throw built.reason;
}

/** Like vitest, it does not check types: `npm run typecheck` does. */
async function build(): Promise<void> {
  const cwd = join(import.meta.dirname, '..');
  const [code] = await once(
    spawn('npm', ['run', 'build', '--silent', '--', '--noCheck'], { cwd, stdio: 'inherit' }),
    'exit',
  );
  if (code !== 0) throw new Error('podsync cannot be built');
}

async function openPostgres(): Promise<() => Promise<void>> {
  if (process.env['PODSYNC_TEST_POSTGRES']) return beginRun();
  const server = await startServer();
  process.env['PODSYNC_TEST_POSTGRES'] = server.url;
  beginRun();
  return () => server.destroy();
}
