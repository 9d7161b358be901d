import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { cp, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PODSYNC = fileURLToPath(new URL('../../dist/bin/podsync.js', import.meta.url));
const BARE = fileURLToPath(new URL('bare.mjs', import.meta.url));

/** Password of every account. */
export const PASSWORD = 'correct horse battery staple';

/** Servers and folders to remove at the end. */
const running = new Set();
const folders = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

async function createFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'podsync-bench-'));
  folders.add(folder);
  return folder;
}

/** A new data folder with these accounts, created with the command line. */
export async function createData(users) {
  const folder = await createFolder();
  for (const user of users) {
    await runPodsync(['user', 'add', user, '--password-stdin', '--data', folder], `${PASSWORD}\n`);
  }
  return folder;
}

/** Runs a command of the built program to its end; `input` is its standard input. */
export async function runPodsync(args, input = '') {
  const child = spawn(process.execPath, [PODSYNC, ...args], { stdio: ['pipe', 'ignore', 'pipe'] });
  const complaint = collect(child.stderr);
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`podsync ${args.join(' ')} failed: ${complaint.text}`);
}

/** A copy of a data folder that is not in use. */
export async function copyData(folder) {
  const copy = await createFolder();
  // The control socket of a killed server cannot be copied.
  await cp(folder, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  return copy;
}

/**
 * The built server on a data folder; `options` are additional options of `serve`.
 *
 * @returns {Promise<Server>}
 *
 * @typedef {object} Server
 * @property {string} url
 * @property {number} pid
 * @property {() => Promise<{ rss: number, peak: number }>} memory Megabytes, now and at most so far.
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop
 */
export const startPodsync = (folder, options = []) =>
  start([...NODE_OPTIONS, PODSYNC, 'serve', ...LOCAL, '--data', folder, ...options]);

const LOCAL = ['--host', '127.0.0.1', '--port', '0', '--no-fetch'];

/** A bare h3 server with the same responses, see bare.mjs. */
export const startBare = (routes) => start([BARE, JSON.stringify(routes)]);

/** To profile only the measured server: `PODSYNC_BENCH_NODE='--cpu-prof' npm run bench`. */
const NODE_OPTIONS = process.env.PODSYNC_BENCH_NODE?.split(' ') ?? [];

/** Starts a server that writes its URL to stderr. */
async function start(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  const closed = once(child, 'close').then(() => running.delete(child));
  const words = collect(child.stderr);
  let url;
  while (!url) {
    const ended = await Promise.race([closed, once(child.stderr, 'data')]);
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(words.text)?.[0];
    if (!url && ended === true) throw new Error(`a server ended before it listened: ${words.text}`);
  }
  return {
    url,
    pid: child.pid,
    memory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      const megabytes = (key) => Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(status)[1]) / 1024;
      return { rss: megabytes('VmRSS'), peak: megabytes('VmHWM') };
    },
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await closed;
    },
  };
}

/** The data received from a stream so far. */
function collect(stream) {
  const collected = { text: '' };
  stream.setEncoding('utf8').on('data', (text) => (collected.text += text));
  return collected;
}
