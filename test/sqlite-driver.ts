import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Whether Node has SQLite: from 22.13 on. */
export const HAS_SQLITE = isBuiltin('node:sqlite');

/**
 * Installs the SQLite driver if Node has none and it is missing. podsync does not depend on it, as the default storage does not use it,
 * and without a prebuilt binary it must be compiled.
 */
export async function installSqliteDriver(): Promise<void> {
  if (HAS_SQLITE || isInstalled()) return;
  const { peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const driver = `better-sqlite3@${peerDependencies['better-sqlite3']}`;
  console.error(`Installing ${driver} for the tests of SQLite, once; it may take a minute.`);
  // As a development dependency that is not saved: npm does not install optional peer dependencies of the project
  // itself.
  const args = ['install', '--no-save', '--save-dev', '--no-audit', '--no-fund', '--ignore-scripts=false', driver];
  const env = { ...process.env, JOBS: 'max', CFLAGS: '-O1', CXXFLAGS: '-O1' }; // compiles in a third of the time
  const [code] = await once(spawn('npm', args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  if (code !== 0 || !isInstalled()) throw new Error(`${driver} cannot be installed; see above`);
}

/**
 * Whether the driver and its native part are installed; checked in a new process, as this one caches failed imports.
 */
const isInstalled = (): boolean =>
  spawnSync(process.execPath, ['-e', "new (require('better-sqlite3'))(':memory:')"], { cwd: root }).status === 0;
