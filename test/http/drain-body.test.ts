import { PassThrough } from 'node:stream';
import type { H3Event } from 'h3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { drainBody } from '../../src/http/drain-body.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

class Connection extends PassThrough {
  destroySoon(): void {
    this.destroy();
  }
}

/** A response that waits for a body, of which nobody reads any more. */
function respond() {
  const socket = new Connection();
  const request = Object.assign(new PassThrough(), { complete: false, socket });
  request.pause();
  const state = { isSent: false };
  void drainBody({ req: { runtime: { node: { req: request } } } } as unknown as H3Event)!.then(() => {
    state.isSent = true;
  });
  /** Time passes, and then the client sends more. */
  const send = async (milliseconds: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    request.write('more');
    await new Promise(setImmediate);
  };
  const end = async (): Promise<void> => {
    request.complete = true;
    request.end();
    await new Promise(setImmediate);
  };
  return { request, socket, state, send, end };
}

it('waits with the response while the client keeps sending', async () => {
  const { socket, state, send, end } = respond();
  for (let count = 0; count < 10; count += 1) await send(200);
  expect(state.isSent).toBe(false);
  await end();
  expect(state.isSent).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(socket.destroyed).toBe(false);
});

it('responds to a client that pauses, and reads the rest however slowly it arrives', async () => {
  const { socket, state, send, end } = respond();
  await vi.advanceTimersByTimeAsync(250);
  expect(state.isSent).toBe(true);
  for (let count = 0; count < 10; count += 1) await send(4000);
  await end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(socket.destroyed).toBe(false);
});

it('leaves nothing on a connection that is used again', async () => {
  const { socket, send, end } = respond();
  const before = socket.listenerCount('close');
  await vi.advanceTimersByTimeAsync(250);
  await send(1000);
  await end();
  expect(socket.listenerCount('close')).toBe(before);
});

it('closes a connection that ends with the response once the rest of the body has arrived', async () => {
  const { socket, send, end } = respond();
  await vi.advanceTimersByTimeAsync(250);
  socket.destroySoon();
  await send(1000);
  expect(socket.destroyed).toBe(false);
  await end();
  expect(socket.destroyed).toBe(true);
});
