import type { Seconds, Sender, Stamp } from './types.ts';

/*
 * Every stored change carries a stamp; every answer hands out a mark, which the client sends back as `since`, and
 * `since` selects `stamp >= since`. The rules below keep one promise: every change gets a stamp above each mark that was
 * handed out before it. So nothing is lost, also within one second, also to a client that asks for mark + 1 (Kasts
 * does), and nothing is sent twice to a client that uses its marks. A mark follows from the newest stamp alone: it needs
 * no clock, and a read needs no write, on any number of nodes.
 */

/** Stamp of a new change, where `last` is the user's newest stamp. */
export const nextStamp = (now: Seconds, last: Stamp): Stamp => Math.max(now + 1, last + 2);

/** Mark for an answer that shows everything up to `last`. */
export const markAfter = (last: Stamp): Stamp => last + 1;

/**
 * Mark for the answer to an upload. A client that pulls and then pushes keeps only this one and would skip what
 * others uploaded in between, so it stays below `overlapped`: the oldest recent stamp of another origin. One less, so
 * that mark + 1 still finds it. The price is a harmless repeat.
 */
export const markAfterUpload = (mark: Stamp, overlapped: Stamp | undefined): Stamp =>
  overlapped === undefined ? mark : Math.min(mark, overlapped - 1);

/**
 * How far a stamp, or a time, of a backup may be ahead of the clock here. A first sync may be hundreds of uploads in a
 * row, each two stamps on: this is enough for 43,200 of them, and for clocks that are hours apart. What is further ahead
 * would keep all later changes ahead as well, away from the wall clock that some clients send as `since`, and in the end
 * beyond 2^31.
 */
export const MAX_AHEAD: Seconds = 86_400;

/**
 * The device that an upload comes from. Undefined where that is not sure, as it names several or none, and for what the
 * operator sends on a device's behalf: the device has yet to hear of it.
 */
export function originOf(devices: Iterable<string | undefined>, sender: Sender = 'device'): string | undefined {
  const [device, ...others] = new Set(devices);
  return sender === 'device' && others.length === 0 ? device : undefined;
}
