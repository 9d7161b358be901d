import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { useMemoryFolder } from './memory-folder.ts';
import { beginRun } from './postgres/database.ts';
import { startServer } from './postgres/server.ts';
import { installSqliteDriver } from './sqlite-driver.ts';

/**
 * Installs the SQLite driver if it is missing, builds the program in both forms for the tests that start it, and starts
 * PostgreSQL for the tests that need it, unless `PODSYNC_TEST_POSTGRES` names a server. Returns the teardown.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await installSqliteDriver(); // before the server, whose files it might replace
  const removeFolder = await useMemoryFolder();
  const [built, opened] = await Promise.allSettled([build(), openPostgres()]);
  const teardown = async (): Promise<void> => {
    if (opened.status === 'fulfilled') await opened.value();
    await removeFolder();
  };
  for (const each of [built, opened]) {
    if (each.status === 'fulfilled') continue;
    await teardown();
    throw each.reason;
  }
  return teardown;
}

/** Like vitest, it does not check types: `npm run typecheck` does. Its output, the names of files, is ignored. */
async function build(): Promise<void> {
  const cwd = join(import.meta.dirname, '..');
  const args = ['run', 'build', '--silent', '--', '--noCheck'];
  const [code] = await once(spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  if (code !== 0) throw new Error('podsync cannot be built: see `npm run build`');
}

async function openPostgres(): Promise<() => Promise<void>> {
  if (process.env['PODSYNC_TEST_POSTGRES']) return beginRun();
  const server = await startServer();
  process.env['PODSYNC_TEST_POSTGRES'] = server.url;
  beginRun();
  return () => server.destroy();
}
