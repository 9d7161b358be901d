import type { IncomingMessage } from 'node:http';
import type { H3Event } from 'h3';
import { nodeRequest } from './body.ts';

/** The most of a body that is read only to be discarded. Bytes. */
const MAX_DRAINED = 64 * 1024 * 1024;
/** The longest that a client may pause while its body is discarded. Milliseconds. */
const MAX_PAUSE = 5000;

/** After a pause of this length the response is sent. Milliseconds. */
const ANSWER_AFTER = 250;

/**
 * Call it before sending a response that may precede the end of the request body. If the client keeps sending, the body is read and
 * discarded first: some clients and proxies do not read a response while they send. If the body pauses, it resolves; the
 * rest is then discarded after the response, and the connection closes when the client falls silent or sends too much.
 */
export async function drainBody(event: H3Event): Promise<void> {
  const request = nodeRequest(event);
  if (!request || request.complete || request.destroyed) return;
  const isOver = await pauseOrEnd(request);
  if (!isOver && !request.complete && !request.destroyed) drainAfterAnswer(request);
}

/** Discards what arrives. Resolves with true at the end of the body, with false when it pauses or is too large. */
const pauseOrEnd = (request: IncomingMessage): Promise<boolean> =>
  new Promise((resolve) => {
    let dropped = 0;
    const settle = (isOver: boolean): void => {
      clearTimeout(pause);
      request.off('data', onData).off('end', onEnd).off('close', onEnd);
      resolve(isOver);
    };
    const pause = setTimeout(() => settle(false), ANSWER_AFTER);
    const onEnd = (): void => settle(true);
    const onData = (chunk: Buffer): void => {
      dropped += chunk.length;
      pause.refresh();
      if (dropped > MAX_DRAINED) settle(false);
    };
    request.on('data', onData).on('end', onEnd).on('close', onEnd);
    request.resume();
  });

function drainAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  const cut = (): void => void socket.destroy();
  const pause = setTimeout(cut, MAX_PAUSE);
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    pause.refresh();
    if (dropped > MAX_DRAINED) cut();
  });
  socket.once('close', () => clearTimeout(pause));
  // If the connection ends with the response, Node would close it while the client is still sending.
  socket.destroySoon = () => void socket.end();
  request.once('end', () => {
    clearTimeout(pause);
    delete (socket as Partial<typeof socket>).destroySoon; // restores the method of the class
    if (socket.writableEnded) socket.destroySoon();
  });
  request.resume();
}
