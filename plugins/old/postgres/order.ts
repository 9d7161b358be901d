import type { Seconds, Stamp, Url } from '../../../src/old-plugin.ts';

/** The order of what one upload stores: its stamp, and the next free place in it. */
export interface Order {
  readonly stamp: Stamp;
  /** When it is stored. */
  readonly at: Seconds;
  place: number;
  /** Feeds that a device subscribes to now, or no longer. */
  readonly changed: Set<Url>;
}
