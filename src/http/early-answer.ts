import type { IncomingMessage } from 'node:http';
import type { H3Event } from 'h3';
import { nodeRequest } from './body.ts';

/** The most of a body that is read only to be dropped. Bytes. */
const DROPPED_AT_MOST = 64 * 1024 * 1024;
/** The longest that a client may pause while its body is dropped. Milliseconds. */
const LONGEST_PAUSE = 5000;

/** A body that pauses for this long does not hold up the answer. Milliseconds. */
const ANSWERED_AFTER = 250;

/**
 * To be called before an answer is sent that may come before the whole body. A body that keeps arriving is read and
 * dropped first: some clients and proxies do not read an answer while they send. Where it pauses, or never comes,
 * resolves at once; the rest is then dropped behind the answer, and the connection ends when the client falls silent, or
 * sends too much.
 */
export async function dropRest(event: H3Event): Promise<void> {
  const request = nodeRequest(event);
  if (!request || request.complete || request.destroyed) return;
  const isOver = await pauseOrEnd(request);
  if (!isOver && !request.complete && !request.destroyed) dropBehindAnswer(request);
}

/** Drops what arrives. Resolves with true at the end of the body, with false when it pauses or there is too much of it. */
const pauseOrEnd = (request: IncomingMessage): Promise<boolean> =>
  new Promise((resolve) => {
    let dropped = 0;
    const settle = (isOver: boolean): void => {
      clearTimeout(pause);
      request.off('data', onData).off('end', onEnd).off('close', onEnd);
      resolve(isOver);
    };
    const pause = setTimeout(() => settle(false), ANSWERED_AFTER);
    const onEnd = (): void => settle(true);
    const onData = (chunk: Buffer): void => {
      dropped += chunk.length;
      pause.refresh();
      if (dropped > DROPPED_AT_MOST) settle(false);
    };
    request.on('data', onData).on('end', onEnd).on('close', onEnd);
    request.resume();
  });

function dropBehindAnswer(request: IncomingMessage): void {
  const { socket } = request;
  const cut = (): void => void socket.destroy();
  const pause = setTimeout(cut, LONGEST_PAUSE);
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    pause.refresh();
    if (dropped > DROPPED_AT_MOST) cut();
  });
  socket.once('close', () => clearTimeout(pause));
  // Where the connection does not outlast the answer, Node would close it with the body still under way.
  socket.destroySoon = () => void socket.end();
  request.once('end', () => {
    clearTimeout(pause);
    delete (socket as Partial<typeof socket>).destroySoon; // the one of its class is back
    if (socket.writableEnded) socket.destroySoon();
  });
  request.resume();
}
