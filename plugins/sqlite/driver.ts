import { loadOptional } from '../../src/plugin.ts';

/** The part of a connection that this plugin uses: `node:sqlite` and better-sqlite3 have it in common. */
export interface Connection {
  exec(sql: string): unknown;
  prepare<Parameters extends unknown[], Row = unknown>(sql: string): Statement<Parameters, Row>;
  close(): unknown;
}

interface Statement<Parameters extends unknown[], Row> {
  run(...parameters: Parameters): unknown;
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
}

/** Opens an existing file, or throws at once: another process that has locked it is not waited for. */
type OpenConnection = (path: string) => Connection;

/**
 * `node:sqlite` where Node has it without a flag (22.13 and newer), else better-sqlite3. Rejects with `unavailable` if
 * neither is installed.
 */
export async function loadDriver(): Promise<OpenConnection> {
  const DatabaseSync = loadBuiltin();
  return DatabaseSync ? (path) => new DatabaseSync(path) : loadPackage();
}

/** Without the warning that `node:sqlite` is experimental, which means nothing to an administrator. */
function loadBuiltin(): (new (path: string) => Connection) | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    // Not imported: Node 20 has no such module. The types are those of Node 20, too.
    const sqlite = process.getBuiltinModule('node:sqlite') as
      | { DatabaseSync: new (path: string) => Connection }
      | undefined;
    return sqlite?.DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}

type BetterSqlite = new (path: string, options: { timeout: number }) => Connection;

/** better-sqlite3, which podsync does not depend on. */
export async function loadPackage(
  load: () => Promise<{ default: unknown }> = () => import('better-sqlite3'),
): Promise<OpenConnection> {
  const needed = 'the SQLite storage needs Node 22.13 or newer, or the package better-sqlite3';
  const Database = (await loadOptional(load, 'better-sqlite3', '12.11.1', needed)) as BetterSqlite;
  return (path) => new Database(path, { timeout: 0 });
}

/** The only column of the row that a pragma returns. */
export const pragma = <Value>(connection: Connection, name: string): Value =>
  Object.values(connection.prepare<[], Record<string, Value>>(`PRAGMA ${name}`).get()!)[0]!;
