import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { COMMON } from './reply.ts';

type Reason = readonly [status: number, message: string];

const WRONG_LENGTH: Reason = [
  400,
  'the headers that tell the length of the body are wrong, or contradict each other; one Content-Length, or ' +
    'Transfer-Encoding: chunked, is enough',
];

/** By the code of Node's error. */
const REASONS: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: [431, 'the address and the headers of this request are too long together'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to come'],
  HPE_INVALID_EOF_STATE: [400, 'the connection broke off before the whole request came'],
  HPE_INVALID_CHUNK_SIZE: [400, 'a chunk of the body does not begin with its length, in hexadecimal digits'],
  HPE_UNEXPECTED_CONTENT_LENGTH: WRONG_LENGTH,
  HPE_INVALID_CONTENT_LENGTH: WRONG_LENGTH,
  HPE_INVALID_TRANSFER_ENCODING: WRONG_LENGTH,
};
const MALFORMED: Reason = [
  400,
  'this is not an HTTP request; blanks, and what is not ASCII, in an address are to be percent-encoded',
];

/**
 * Answers a request that Node cannot read, and that no route sees; then closes the connection. A client that does not
 * close its end within `closeTimeout` milliseconds is cut off.
 */
export function refuseMalformed({ code = '' }: NodeJS.ErrnoException, socket: Socket, closeTimeout: number): void {
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
  const timer = setTimeout(() => socket.destroy(), closeTimeout);
  socket.once('close', () => clearTimeout(timer));
}
