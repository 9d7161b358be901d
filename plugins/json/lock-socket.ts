import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { FILE_MODE } from './durable-files.ts';

/*
 * A process listens on a socket beside its lock file for as long as it lives. The kernel closes the socket with the
 * process, so all processes on this kernel can find out whether it lives, in other containers, too: there, host names and
 * pids say nothing.
 */

/** Bytes. Node silently cuts longer paths. */
const LONGEST_PATH = 103;

export const socketOf = (lock: string): string => `${lock}.sock`;

/** Undefined if the path is too long, or the file system has no sockets. */
export async function listenBeside(lock: string): Promise<Server | undefined> {
  if (Buffer.byteLength(socketOf(lock)) > LONGEST_PATH) return undefined;
  const server = createServer((connection) => connection.destroy());
  try {
    server.listen(socketOf(lock)).unref();
    await once(server, 'listening');
    await chmod(socketOf(lock), FILE_MODE);
    return server;
  } catch {
    return undefined;
  }
}

/** Undefined if the lock has no socket. */
export async function isListening(lock: string): Promise<boolean | undefined> {
  if (!existsSync(socketOf(lock))) return undefined;
  return new Promise((resolve) => {
    const connection = connect(socketOf(lock), () => {
      connection.destroy();
      resolve(true);
    });
    connection.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}
