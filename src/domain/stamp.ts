import type { Seconds, Stamp, Uploader } from './types.ts';

/*
 * Every stored change has a stamp. Every response contains a mark, which the client sends back as `since`, and `since`
 * selects `stamp >= since`. The rules below guarantee that a change gets a stamp greater than every mark issued before.
 * So no change is lost, even within one second, even for a client that requests mark + 1 (as Kasts does), and nothing
 * is sent twice to a client that uses its marks. A mark depends only on the newest stamp: it needs no clock, and a read
 * needs no write, on any number of nodes.
 */

/** Stamp of a new change; `last` is the user's newest stamp. */
export const nextStamp = (now: Seconds, last: Stamp): Stamp => Math.max(now + 1, last + 2);

/** Mark of a response that includes all changes up to `last`. */
export const markAfter = (last: Stamp): Stamp => last + 1;

/**
 * Mark of the response to an upload. A client that downloads and then uploads keeps only this mark, and would miss what
 * others uploaded in between. So the mark stays below `overlapped`, the oldest recent stamp of another origin; one
 * less, so that mark + 1 still selects it. The cost is that some changes are repeated, which is harmless.
 */
export const markAfterUpload = (mark: Stamp, overlapped: Stamp | undefined): Stamp =>
  overlapped === undefined ? mark : Math.min(mark, overlapped - 1);

/**
 * How far a stamp or a time in a backup may be ahead of this server's clock. A first sync may take hundreds of uploads,
 * each of which adds two to the stamp: this allows 43,200 of them, and clocks that differ by hours. A greater stamp
 * would push all later stamps ahead of the wall clock, which some clients send as `since`, and in the end beyond 2^31.
 */
export const MAX_AHEAD: Seconds = 86_400;

/**
 * The device that sent an upload. Undefined if that is uncertain, as the upload names several devices or none, and for
 * an upload by this server on behalf of a device, which must still receive the changes.
 */
export function originOf(devices: Iterable<string | undefined>, uploader: Uploader = 'device'): string | undefined {
  const [device, ...others] = new Set(devices);
  return uploader === 'device' && others.length === 0 ? device : undefined;
}
