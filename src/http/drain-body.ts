import type { IncomingMessage } from 'node:http';
import type { H3Event } from 'h3';
import { MAX_DISCARDED } from '../body-limits.ts';
import { nodeRequest } from './body.ts';

/** The longest that a client may pause while its body is discarded after the response. Milliseconds. */
const MAX_PAUSE = 5000;

/** After a pause of this length the response is sent. Milliseconds. */
const RESPOND_AFTER = 250;

/**
 * Call it before sending a response that may precede the end of the request body. If the client keeps sending, the body is
 * read and discarded first: some clients and proxies do not read a response while they send. If the client pauses, this
 * resolves; the rest is then discarded after the response, and the connection closes when nothing more arrives, or too
 * much.
 */
export function drainBody(event: Pick<H3Event, 'req'>): Promise<void> | undefined {
  const request = nodeRequest(event);
  return request && isArriving(request) ? drain(request) : undefined;
}

const isArriving = ({ complete, destroyed }: IncomingMessage): boolean => !complete && !destroyed;

async function drain(request: IncomingMessage): Promise<void> {
  await pauseOrEnd(request);
  if (isArriving(request)) drainAfterResponse(request);
}

/**
 * Discards what arrives, until the returned function is called. Calls `onStop` if nothing arrives for `pause`
 * milliseconds, or if too much has arrived.
 */
function discard(request: IncomingMessage, pause: number, onStop: () => void): () => void {
  let size = 0;
  const timer = setTimeout(onStop, pause);
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    timer.refresh();
    if (size > MAX_DISCARDED) onStop();
  };
  request.on('data', onData).resume();
  return () => {
    clearTimeout(timer);
    request.off('data', onData);
  };
}

/** Resolves at the end of the body, or when it pauses or is too large. */
const pauseOrEnd = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      stop();
      resolve();
    };
    const stop = discard(request, RESPOND_AFTER, settle);
    request.on('end', settle).on('close', settle);
  });

function drainAfterResponse(request: IncomingMessage): void {
  const { socket } = request;
  const stop = discard(request, MAX_PAUSE, () => void socket.destroy());
  socket.once('close', stop);
  // If the connection ends with the response, Node would close it while the client is still sending.
  socket.destroySoon = () => void socket.end();
  request.once('end', () => {
    stop();
    socket.off('close', stop); // the connection may last for many requests
    delete (socket as Partial<typeof socket>).destroySoon; // restores the method of the class
    if (socket.writableEnded) socket.destroySoon();
  });
}
