import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What `serve` listens with. */
export interface Listener {
  /** Takes no new connections, lets running requests finish for `deadline` milliseconds, and cuts what is left then. */
  close(deadline: number): Promise<void>;
}

/** How often connections that have become idle are looked for. Milliseconds. */
const SWEEP = 50;

/** The `close` of a `Listener` on this server. To be made before anybody connects. */
export function createDrain(server: Server): Listener['close'] {
  // Node's own `closeAllConnections` does not know of those that are still shaking hands over TLS.
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return (deadline) =>
    new Promise((resolve) => {
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, deadline);
      server.close(() => {
        clearInterval(sweep);
        clearTimeout(cut);
        resolve();
      });
    });
}
