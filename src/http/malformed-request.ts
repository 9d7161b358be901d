import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { COMMON_HEADERS } from './reply.ts';

type Reason = readonly [status: number, message: string];

const WRONG_LENGTH: Reason = [
  400,
  'the headers for the length of the body are invalid or contradict each other; send one Content-Length or ' +
    'Transfer-Encoding: chunked',
];

/** By the code of Node's error. */
const REASONS: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: [431, 'the address and headers of this request are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
  HPE_INVALID_EOF_STATE: [400, 'the connection closed before the whole request arrived'],
  HPE_INVALID_CHUNK_SIZE: [400, 'a chunk of the body does not begin with its length, in hexadecimal digits'],
  HPE_UNEXPECTED_CONTENT_LENGTH: WRONG_LENGTH,
  HPE_INVALID_CONTENT_LENGTH: WRONG_LENGTH,
  HPE_INVALID_TRANSFER_ENCODING: WRONG_LENGTH,
};
const MALFORMED: Reason = [
  400,
  'this is not an HTTP request; percent-encode spaces and non-ASCII characters in its address',
];

/**
 * Responds to a request that Node cannot parse, and that reaches no route; then closes the connection. Destroys it if
 * the client does not close its end within `closeTimeout` milliseconds.
 */
export function refuseMalformed({ code = '' }: NodeJS.ErrnoException, socket: Socket, closeTimeout: number): void {
  // If anything was sent before, this could end up in the middle of a response.
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, message] = REASONS[code] ?? MALFORMED;
  const body = JSON.stringify({ code: status, message });
  const headers = [
    ...COMMON_HEADERS,
    ['connection', 'close'],
    ['content-type', 'application/json'],
    ['content-length', String(Buffer.byteLength(body))],
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), closeTimeout);
  socket.once('close', () => clearTimeout(timer));
}
