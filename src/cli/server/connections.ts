import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseMalformed } from '../../http/malformed-request.ts';

/** Times in milliseconds. */
export interface ConnectionLimits {
  /** Open connections in all. Further ones are closed immediately. */
  connections: number;
  /** Requests of one connection that wait for a response. */
  pipelined: number;
  /** For a TLS handshake, from the connection on. */
  handshakeTimeout: number;
  /** For the client to close a connection after the response to a malformed request. */
  closeTimeout: number;
}

/**
 * Closes useless connections: those over the limit, those whose TLS handshake fails or takes too long, and those with
 * malformed requests. Call it before the first connection. `onFull` is called once, when the limit is first reached.
 */
export function limitConnections(server: Server, limits: ConnectionLimits, onFull: () => void): void {
  server.maxConnections = limits.connections;
  server.once('drop', onFull);
  server.on('clientError', (error, socket) => refuseMalformed(error, socket as Socket, limits.closeTimeout));
  if ('setSecureContext' in server) limitHandshakes(server, limits.handshakeTimeout);
}

/**
 * Handles the requests of a connection one after another, and disconnects a client that has sent more than `most` without
 * waiting for a response. Node would handle any number at once, and keep their responses in memory until the client reads
 * them; nor may changes overtake each other (RFC 9112, 9.3.2).
 */
export function limitPipelining(handle: RequestListener, most: number): RequestListener {
  const queues = new WeakMap<Socket, ServerResponse[]>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return; // received together with the last one that was accepted
    if (!isQueued(response)) {
      handle(request, response);
      return;
    }
    const queue = [...(queues.get(socket) ?? []).filter(isQueued), response];
    queues.set(socket, queue);
    if (queue.length >= most) socket.destroy();
    else response.once('socket', () => handle(request, response));
  };
}

/** Whether an earlier response comes first: Node assigns the socket to one response at a time. */
const isQueued = ({ socket, writableFinished }: ServerResponse): boolean => !socket && !writableFinished;

function limitHandshakes(server: Server, timeout: number): void {
  // Before `clientError` is emitted: `end()` does not close a socket that has not finished its handshake.
  server.prependListener('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
  // Node has its own limit, but it can only be set when the server is created.
  const timers = new Map<string, NodeJS.Timeout>();
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    const timer = setTimeout(() => socket.destroy(), timeout);
    timers.set(name, timer);
    socket.once('close', () => {
      clearTimeout(timer);
      if (timers.get(name) === timer) timers.delete(name);
    });
  });
  server.on('secureConnection', (socket: Socket) => clearTimeout(timers.get(nameOf(socket))));
}

/** The same before and after the handshake, which replaces the socket by another object. */
const nameOf = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): string =>
  [localAddress, localPort, remoteAddress, remotePort].join(' ');

/** What `serve` listens with. */
export interface Listener {
  /** Accepts no new connections, lets requests finish for `deadline` milliseconds, then closes all connections. */
  close(deadline: number): Promise<void>;
}

/** Interval for closing idle connections, in milliseconds. */
const SWEEP = 50;

/** The `close` of a `Listener` on this server. Create it before the first connection. */
export function createDrain(server: Server): Listener['close'] {
  // `closeAllConnections` of Node omits connections during the TLS handshake.
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
