import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { COMMON } from './reply.ts';

const TOO_LONG = [431, 'the address and the headers of this request are too long together'] as const;
const TOO_SLOW = [408, 'the request took too long to come'] as const;
const MALFORMED = [
  400,
  'this is not an HTTP request; what is not ASCII in an address is to be percent-encoded',
] as const;

const REASONS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: TOO_LONG,
  ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
};

/** Answers a request that Node cannot read, and so no route sees, as one that cannot be used; then hangs up. */
export function refuseUnreadable({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  // Where anything was sent before, an answer may be under way, and this would get into the middle of it.
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, message] = REASONS[code] ?? MALFORMED;
  const body = JSON.stringify({ code: status, message });
  const headers = [
    ...COMMON,
    ['connection', 'close'],
    ['content-type', 'application/json'],
    ['content-length', String(Buffer.byteLength(body))],
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`);
}
