import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type H3, toNodeHandler } from 'h3';
import { createTemporaryPath, removeSockets, socketIn } from '../control-path.ts';
import { createDrain, type Listener } from './connections.ts';

/**
 * Serves the operator's app on a socket in the data folder, for its owner only. The caller has opened the storage and
 * found no running server: an existing socket was left by one that was killed.
 */
export async function listenOnControlSocket(app: H3, data: string): Promise<Listener> {
  await removeSockets(data);
  const server = createServer({ requestTimeout: 0 }, toNodeHandler(app)); // a backup may take hours
  const drain = createDrain(server);
  await listenInFolder(server, data);
  return {
    async close(deadline) {
      await drain(deadline);
      await removeSockets(data);
    },
  };
}

async function listenInFolder(server: Server, data: string): Promise<void> {
  const own = socketIn(data);
  if (own) {
    try {
      return await listenPrivately(server, own);
    } catch {
      // Some mounted file systems do not support sockets.
    }
  }
  await listenPrivately(server, await createTemporaryPath(data));
}

async function listenPrivately(server: Server, path: string): Promise<void> {
  const before = process.umask(0o177); // before a later `chmod`, anyone could connect
  try {
    server.listen(path); // creates the socket before it returns
  } finally {
    process.umask(before);
  }
  await once(server, 'listening');
}
