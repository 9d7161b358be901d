import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** Called when this process ends. */
export const cleaners = new Set();
process.once('exit', () => {
  for (const clean of cleaners) clean();
});

/** Starts a program whose output goes to a file. */
export function start(command, args, { log, ...options }) {
  const child = spawn('/bin/sh', ['-c', 'log=$1; shift; exec "$@" >>"$log" 2>&1', 'sh', log, command, ...args], {
    stdio: 'ignore',
    ...options,
  });
  const kill = () => child.kill('SIGKILL');
  cleaners.add(kill);
  const closed = once(child, 'close').then(() => cleaners.delete(kill));
  return {
    pid: child.pid,
    async stop(signal = 'SIGKILL') {
      child.kill(signal);
      await closed;
    },
  };
}

/** Those of these programs that are not installed. */
export function missingPrograms(names) {
  const folders = [...process.env.PATH.split(delimiter), '/usr/sbin'];
  return names.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}

/** Seconds of processor time that a process and its children have taken, also those that have ended. */
export function cpuOf(pid) {
  const { ticks } = readStat(pid);
  return ticks / TICKS + childrenOf(pid).reduce((sum, child) => sum + cpuOf(child), 0);
}

/** Of Linux, per second. */
const TICKS = 100;

/** The processes whose parent has this id. */
export function childrenOf(parent) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => readStat(pid).parent === parent);
}

/** Parent and processor time of a process; nothing if it has ended. */
export function readStat(pid) {
  try {
    const [parent, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) \S /s, '')
      .split(' ')
      .map(Number);
    return { parent, ticks: fields.slice(9, 13).reduce((sum, each) => sum + each, 0) };
  } catch {
    return { parent: undefined, ticks: 0 };
  }
}

/** Free ports of 127.0.0.1. */
export async function findPorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => (server.close(), once(server, 'close'))));
  return ports;
}
