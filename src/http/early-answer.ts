import type { H3Event } from 'h3';
import { nodeRequest } from './body.ts';

/** The most of a body that is read only to be dropped. Bytes. */
const DROPPED_AT_MOST = 64 * 1024 * 1024;
/** The longest that a client may pause while its body is dropped. Milliseconds. */
const LONGEST_PAUSE = 5000;

/**
 * To be called before an answer is sent that may come before the whole body. The rest of the body is read and dropped
 * after the answer: a client that is cut off while it sends does not read the answer. The connection ends when the
 * client falls silent, or sends too much.
 */
export function dropRest(event: H3Event): void {
  const request = nodeRequest(event);
  if (!request || request.complete || request.destroyed) return;
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
