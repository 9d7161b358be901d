import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * Installs the SQLite driver where it is missing. It is no dependency of podsync, whose default storage does not use it:
 * where npm finds no prebuilt binary, compiling it takes most of a minute.
 */
export async function installSqliteDriver(): Promise<void> {
  if (isInstalled()) return;
  const { peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const driver = `better-sqlite3@${peerDependencies['better-sqlite3']}`;
  console.error(`Installing ${driver} for the tests of SQLite, once; it may take a minute.`);
  // As a development dependency, though not saved: npm installs no optional peer dependency of the project itself.
  const args = ['install', '--no-save', '--save-dev', '--no-audit', '--no-fund', '--ignore-scripts=false', driver];
  const [code] = await once(spawn('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  if (code !== 0 || !isInstalled()) throw new Error(`${driver} cannot be installed; see above`);
}

/** Whether the driver and its native part are there; asked of a new process, as this one remembers a failed import. */
const isInstalled = (): boolean =>
  spawnSync(process.execPath, ['-e', "new (require('better-sqlite3'))(':memory:')"], { cwd: root }).status === 0;
